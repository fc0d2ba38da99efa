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
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
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

// Where only objects are found that are skipped, the error says so: the user sees them.
func TestOnlySkipped(t *testing.T) {
	root := t.TempDir()
	for file, data := range map[string]string{
		"crds/a.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: tabs.example.com}\n" +
			"spec: {group: example.com, scope: Cluster, names: {kind: Tab, plural: tabs}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n",
		"config/samples/invalid/a.yaml": "apiVersion: example.com/v1\nkind: Tab\nmetadata: {name: a}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(data), 0o600))
	}
	p, err := project.Open(root, &config.Project{CRDs: config.CRDs{Dir: "crds"}})
	require.NoError(t, err)
	_, err = Run(t.Context(), p, Options{Families: []rule.Family{rule.Samples}})
	assert.EqualError(t, err, "samples: no object of the project's kinds was found in YAML files and Markdown pages (1 skipped as examples of what is wrong)")
}

// A module of Go types alone of which no package could be compared is not judged.
func TestOlderTypesDoNotParse(t *testing.T) {
	lay := func(types string) string {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module example.com/types\n", "v1/types.go": types})
		return root
	}
	p, err := project.Open(lay("// +groupName=example.com\npackage v1\n\ntype A struct{}\n"), &config.Project{})
	require.NoError(t, err)
	for older, want := range map[string]string{
		"package v1\n": "",
		"not Go\n":     "compat: no CustomResourceDefinition of the project was found; ",
	} {
		base, err := revision.OpenPath("", lay(older))
		require.NoError(t, err)
		r, err := Run(t.Context(), p, Options{Families: []rule.Family{rule.Compat}, Base: base})
		require.NoError(t, base.Close())
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
		require.Len(t, r.Notes, 1)
		assert.Contains(t, r.Notes[0], "the Go package v1 was not compared: its older state: ")
	}
}
