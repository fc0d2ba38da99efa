// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/token"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	loader "github.com/crdctl/crdctl/internal/gen/load"
)

// failing is a package with a field.
func failing(t *testing.T, text string) Source {
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	const dir = "internal/check/lint/testdata/api/v1"
	return Source{Root: root, Dirs: []string{dir}, Files: map[string]map[string][]byte{dir: {"types.go": []byte("// +groupName=stable.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" + text)}}}
}

const sound = "// +kubebuilder:object:root=true\ntype CronTab struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tSpec string `json:\"spec\"`\n}\n"

// What an analyzer or a rule would have found is not known where it panics.
func TestPanic(t *testing.T) {
	all := profile
	t.Cleanup(func() { profile = all })
	profile = func() ([]*analysis.Analyzer, error) {
		fine := &analysis.Analyzer{Name: "fine", Doc: "finds nothing", Run: func(*analysis.Pass) (any, error) { return nil, nil }}
		broken := &analysis.Analyzer{Name: "broken", Doc: "panics", Run: func(*analysis.Pass) (any, error) { panic("boom") }}
		return []*analysis.Analyzer{fine, broken}, nil
	}
	_, err := Check(t.Context(), failing(t, sound))
	require.EqualError(t, err, "the analyzer broken failed on internal/check/lint/testdata/api/v1: it panicked: boom; please report it")

	profile = all
	rules := fieldRules
	t.Cleanup(func() { fieldRules = rules })
	fieldRules = append(slices.Clone(rules), func(_ *world, f field, report reporter) { report("no-such-rule", token.NoPos, "x") })
	_, err = Check(t.Context(), failing(t, sound))
	require.ErrorContains(t, err, "the rules of lint panicked on internal/check/lint/testdata/api/v1: ")
}

// A syntax error is that of the parser: the go command, which takes a second to find the same, is not asked.
func TestSyntaxError(t *testing.T) {
	_, err := Check(t.Context(), failing(t, sound+"\ntype Broken struct {\n"))
	require.ErrorContains(t, err, "types.go:13:22: expected '}', found 'EOF'")
	require.NotErrorIs(t, err, loader.ErrUnsupported)
}
