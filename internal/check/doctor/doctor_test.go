// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// What is half typed has no findings, and fails no check.
func TestHalfTyped(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/x\n",
		"x.go": `package x

import (
	"errors"
	"fmt"
	ctrl "sigs.k8s.io/controller-runtime"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

var a, b = ""

func f() {
	append()
	meta.SetStatusCondition()
	_ = metav1.Condition{}
	controllerutil.AddFinalizer()
	controllerutil.AddFinalizer(x, b)
	ctrl.NewControllerManagedBy().For().Owns()
	_ = ctrl.Options{{}, LeaderElection: true, LeaderElectionID: b}
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	found, err := Check(t.Context(), Options{Root: root})
	require.NoError(t, err)
	assert.Equal(t, "1 module, 1 Go file, 0 YAML files", found.Judged)
}

// A check that panics is an error, and not a verdict.
func TestPanic(t *testing.T) {
	_, err := check{"conditions", func(s *Source) []rule.Finding { return []rule.Finding{{Subject: s.Go[0].Path}} }}.run(&Source{})
	assert.ErrorContains(t, err, "not determined: conditions: panic: runtime error: index out of range")
}

func TestInTotal(t *testing.T) {
	assert.Equal(t, "lacks v1: spec.a", inTotal([]string{"lacks v1: spec.a"}))
	assert.Equal(t, "lacks v1: spec.a (differences in total: 2)", inTotal([]string{"lacks v1: spec.a", "lacks v1: spec.b"}))
}

// A module that cannot be downloaded is named once, and the packages that import it are not listed.
func TestUnloadedNamesAModuleOnce(t *testing.T) {
	var said []string
	for i := range 25 {
		said = append(said, fmt.Sprintf("/p/pkg/a%d.go:20:2: example.com/m@v1.2.3: reading https://proxy.example.com/m.mod: 403 Forbidden\n\tserver response: not available", i))
	}
	err := (&Source{Root: "/p"}).unloaded(errors.New(strings.Join(said, "\n")))
	assert.EqualError(t, err, "--deep: load the packages of controllers: pkg/a0.go:20:2: example.com/m@v1.2.3: reading https://proxy.example.com/m.mod: 403 Forbidden (server response: not available); "+
		"run \"go mod download\" where the module can be downloaded; GOPROXY and GOPRIVATE name where from")
	err = (&Source{Root: "/p"}).unloaded(errors.New("/p/a.go:1:1: undefined: x\n"))
	assert.EqualError(t, err, `--deep: load the packages of controllers: a.go:1:1: undefined: x; check that "go build ./..." works`)
}
