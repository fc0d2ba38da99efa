package gen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is edited while the generators run is in nobody's result for sure: nothing is kept of such a run.
func TestCacheKeepsNothingOfAnEdit(t *testing.T) {
	root := gentest.Fixture{Archive: "testdata/layout.txtar"}.Lay(t)
	put(t, root, "hack/schema.json", `{"swagger": "2.0", "info": {"title": "none", "version": "v0"}, "paths": {}, "definitions": {}}`)
	p := gentest.Settings(t, root)
	p.Clients[0].ApplyConfigurationOpenAPISchema = "hack/schema.json"
	o := Options{Year: 2026, UpdateReport: true}
	g, err := newGeneration(t.Context(), root, p, o)
	require.NoError(t, err)
	m, err := g.make(t.Context())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		file string
		edit func(string) string
		kept int
	}{
		"nothing":                 {"README.md", func(string) string { return "# More\n" }, 2},
		"a source":                {"pkg/apis/tree/v1/types.go", func(s string) string { return s + "\n// More.\n" }, 0},
		"a source that is gone":   {"pkg/apis/tree/v1/types.go", nil, 0},
		"a source that is loaded": {"pkg/leaves/leaves.go", func(s string) string { return s + "\n// More.\n" }, 0},
		"the header":              {"hack/boilerplate.go.txt", func(s string) string { return s + "// More.\n" }, 0},
		"the header that is gone": {"hack/boilerplate.go.txt", nil, 0},
		"the schema":              {"hack/schema.json", func(s string) string { return s + "\n" }, 0},
		"go.mod":                  {"go.mod", func(s string) string { return s + "\nrequire example.com/more v1.0.0\n" }, 0},
		"go.mod, torn":            {"go.mod", func(s string) string { return s + "require (\n" }, 0},
		"an expansion":            {"pkg/client/listers/tree/v1/oak_expansion.go", func(string) string { return "package v1\n" }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept, err := newCached(cache.At(dir, 1<<30), g, o)
			require.NoError(t, err)
			whileEdited(t, filepath.Join(root, filepath.FromSlash(c.file)), c.edit, func() {
				_, err := kept.put(t.Context(), m, g.local)
				assert.NoError(t, err)
			})
			if entries, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(entries) != c.kept {
				t.Errorf("%d entries are kept, want %d: %v", len(entries), c.kept, err)
			}
		})
	}
}

// whileEdited does something while a file is another one, or missing, and puts it back.
func whileEdited(t *testing.T, file string, edit func(string) string, do func()) {
	t.Helper()
	before, err := os.ReadFile(file)
	isNew := os.IsNotExist(err)
	if err != nil && !isNew {
		t.Fatal(err)
	}
	set := func(text string, exists bool) {
		t.Helper()
		if exists {
			put(t, filepath.Dir(file), filepath.Base(file), text)
		} else if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if edit == nil {
		set("", false)
	} else {
		set(edit(string(before)), true)
	}
	do()
	set(string(before), !isNew)
}
