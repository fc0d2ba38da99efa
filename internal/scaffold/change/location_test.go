// SPDX-License-Identifier: Apache-2.0

package change

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/tree"
)

func TestFindLocation(t *testing.T) {
	t.Setenv("GOWORK", "")
	const mod = "module example.com/x\n\ngo 1.26.0\n"
	for name, test := range map[string]struct {
		files  map[string]string
		apart  bool
		want   Location // Module and Work relative to the top
		base   string
		errors string
	}{
		"no module":                 {nil, false, Location{Module: "a/b", Dir: "."}, "a/b", ""},
		"go mod init":               {map[string]string{"a/b/go.mod": mod}, false, Location{Module: "a/b", Dir: ".", Path: "example.com/x"}, "a/b", ""},
		"a module":                  {map[string]string{"a/b/go.mod": mod + "require example.com/y v1.0.0\n"}, false, Location{Module: "a/b", Dir: ".", Path: "example.com/x", Exists: true}, "a/b", ""},
		"a module with code":        {map[string]string{"a/b/go.mod": mod, "a/b/x.go": "package x\n"}, false, Location{Module: "a/b", Dir: ".", Path: "example.com/x", Exists: true}, "a/b", ""},
		"a directory of a module":   {map[string]string{"go.mod": mod}, false, Location{Module: ".", Dir: "a/b", Path: "example.com/x", Exists: true}, ".", ""},
		"a module above, not used":  {map[string]string{"go.mod": mod}, true, Location{Module: "a/b", Dir: "."}, "a/b", ""},
		"a broken one above, apart": {map[string]string{"go.mod": "modul\n"}, true, Location{Module: "a/b", Dir: "."}, "a/b", ""},
		"a workspace without it":    {map[string]string{"go.work": "go 1.26.0\n", "a/b/go.mod": mod}, false, Location{Module: "a/b", Dir: ".", Path: "example.com/x", Work: "go.work"}, ".", ""},
		"a workspace with it":       {map[string]string{"go.work": "go 1.26.0\nuse ./a/b\n", "a/b/go.mod": mod}, false, Location{Module: "a/b", Dir: ".", Path: "example.com/x"}, "a/b", ""},
		"no module line":            {map[string]string{"go.mod": "go 1.26.0\n"}, false, Location{}, "", "has no module directive"},
		"not a go.mod":              {map[string]string{"go.mod": "module (\n"}, false, Location{}, "", "go.mod:1"},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			safefstest.WriteFiles(t, top, map[string]string{"a/b/.keep": ""})
			safefstest.WriteFiles(t, top, test.files)
			got, err := FindLocation(filepath.Join(top, "a", "b"), test.apart)
			if test.errors != "" {
				assert.ErrorContains(t, err, test.errors)
				return
			}
			require.NoError(t, err)
			want := test.want
			want.Seen, want.Module = got.Seen, filepath.Join(top, filepath.FromSlash(want.Module))
			if want.Work != "" {
				want.Work = filepath.Join(top, want.Work)
			}
			if base := filepath.Join(top, filepath.FromSlash(test.base)); got != want || got.Base() != base || got.Root() != filepath.Join(top, "a", "b") {
				t.Errorf("%+v, base %s, root %s; want %+v, base %s", got, got.Base(), got.Root(), want, base)
			}
		})
	}
}

// A go.work gets the module, and what the module shares is written next to the project's files.
func TestSharedChanges(t *testing.T) {
	top := t.TempDir()
	safefstest.WriteFiles(t, top, map[string]string{"go.work": "go 1.24\n\nuse ./lib\n", "app/go.mod": "module example.com/app\n"})
	p := &Plan{
		location: Location{Module: filepath.Join(top, "app"), Dir: ".", Work: filepath.Join(top, "go.work"), Seen: &tree.Seen{}},
		module:   map[string][]byte{"go.mod": []byte("module example.com/app\n\ngo 1.26.0\n")},
	}
	changes, err := p.sharedChanges()
	if err != nil || len(changes) != 2 || changes[0].Path != "app/go.mod" || changes[1].Path != "go.work" {
		t.Fatalf("changes %v, error %v", changes, err)
	}
	require.NoError(t, Apply(p.location, changes))
	work, err := (&tree.Seen{}).ReadFile(filepath.Join(top, "go.work"))
	require.NoError(t, err)
	assert.Equal(t, "go 1.26.0\n\nuse (\n\t./app\n\t./lib\n)\n", string(work), "the go command wants as much as the module's")
}

func TestDeclared(t *testing.T) {
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{
		"api/types.go":                 "package api\n\ntype A struct{}\n\nfunc (A) M() {}\n\nfunc F() {}\n\nvar V, W = 1, 2\n\nconst C = 1\n",
		"api/zz_generated.deepcopy.go": "package api\n\nfunc G() {}\n",
		"api/broken.go":                "package api\n\nfunc {\n",
	})
	got := Declared(dir, "api")
	slices.Sort(got)
	assert.Equal(t, []string{"A", "C", "F", "V", "W"}, got, "declared")
}
