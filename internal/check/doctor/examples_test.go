// SPDX-License-Identifier: Apache-2.0

package doctor_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/doctor"
	"github.com/crdctl/crdctl/internal/check/doctor/machine"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/config"
)

// judge writes the files of an example, and looks at them.
func judge(t *testing.T, text string) []rule.Finding {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	o := doctor.Options{Root: root, Kubernetes: "v0.37.1"}
	for _, f := range txtar.Parse([]byte(text)).Files {
		if f.Name == "machine.yaml" {
			require.NoError(t, yaml.UnmarshalStrict(f.Data, &o.Machine))
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, f.Data, 0o600))
	}
	o.Project, err = project.Open(root, &config.Project{CRDs: config.CRDs{Dir: "config/crd/bases"}})
	require.NoError(t, err)
	found, err := doctor.Check(t.Context(), o)
	require.NoError(t, err)
	return found.Findings
}

func TestExamples(t *testing.T) {
	checktest.Examples(t, rule.Doctor, 1, func(t *testing.T, example []rule.Block) []rule.Finding { return judge(t, example[0].Text) })
}

// Outside of any module, the machine is looked at.
func TestOutside(t *testing.T) {
	found, err := doctor.Check(t.Context(), doctor.Options{Machine: &machine.Machine{Taken: []int{8080}}})
	require.NoError(t, err)
	require.Equal(t, "this machine", found.Judged)
	require.Len(t, found.Findings, 2)
}
