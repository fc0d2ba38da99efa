// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/checktest"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// Findings about markers that allow others are those of lint, and of no other family that was named.
func TestMarkersAreOfLint(t *testing.T) {
	before := runs
	t.Cleanup(func() { runs = before })
	none := func(context.Context, *project.Project, Options, *Result) ([]rule.Finding, string, error) {
		return nil, "1 package", nil
	}
	runs = map[rule.Family]family{rule.Lint: none, rule.Compat: none}
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "api"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "api", "types.go"), []byte("package api\n\n// +crdctl:allow=nothing\ntype A struct{}\n"), 0o600))
	p := &project.Project{Root: root, Packages: []string{"api"}}
	for _, test := range []struct{ families, want []rule.Family }{
		{nil, []rule.Family{rule.Lint}},
		{[]rule.Family{rule.Compat, rule.Lint}, []rule.Family{rule.Lint}},
		{[]rule.Family{rule.Compat}, nil},
	} {
		r, err := Run(t.Context(), p, Options{Families: test.families})
		require.NoError(t, err)
		var got []rule.Family
		for _, f := range r.Findings {
			got = append(got, f.Rule.Family)
		}
		assert.Equal(t, test.want, got, "%v: %v", test.families, checktest.Lines(r.Findings))
	}
}
