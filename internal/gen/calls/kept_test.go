// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/calls"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/tree"
)

// linked is a project of which the deep copies depend on types of other modules: of the workspace, and of a replacement.
const linked = `
-- go.work --
go 1.26

use (
	.
	./other
)
-- go.mod --
module example.com/m

go 1.26

require example.com/replaced v0.0.0

replace example.com/replaced => ./replaced
-- hack/header.txt --
// Copyright YEAR The Farmers.
-- api/v1/types.go --
package v1

import (
	"example.com/other"
	"example.com/replaced"
)

// +kubebuilder:object:generate=true
type T struct {
	Other    other.O
	Replaced replaced.R
}
-- api/v1/extra.go --
//go:build extra

package v1

// +kubebuilder:object:generate=true
type Extra struct{ Name *string }
-- api/v2/types.go --
package v2

// +kubebuilder:object:generate=true
type T struct{ Name *string }
-- other/go.mod --
module example.com/other

go 1.26
-- other/other.go --
package other

type O struct{ Name string }
-- replaced/go.mod --
module example.com/replaced

go 1.26
-- replaced/replaced.go --
package replaced

type R struct{ Name string }
`

// vendored is one with its dependency in the vendor directory.
const vendored = `
-- go.mod --
module example.com/m

go 1.26

require example.com/dep v1.0.0
-- hack/header.txt --
-- api/v1/types.go --
package v1

import "example.com/dep"

// +kubebuilder:object:generate=true
type T struct{ Dep dep.D }
-- vendor/modules.txt --
# example.com/dep v1.0.0
## explicit; go 1.26
example.com/dep
-- vendor/example.com/dep/dep.go --
package dep

type D struct{ Name string }
`

// Whatever changes that a call reads, what is kept of it is not used, and the result is that of a run that keeps nothing.
func TestKept(t *testing.T) {
	type step struct{ name, file, old, by string } // a file without an old text is new; without any text it goes
	for name, project := range map[string]struct {
		files string
		steps []step
	}{
		"linked": {linked, []step{
			{"another module of the workspace", "other/other.go", "Name string", "Name *string"},
			{"the target of a replacement", "replaced/replaced.go", "Name string", "Name []string"},
			{"another target", "go.mod", "=> ./replaced", "=> ./instead"},
			{"the header", "hack/header.txt", "Farmers", "Growers"},
			{"a new file", "api/v1/more.go", "", "package v1\n\n// +kubebuilder:object:generate=true\ntype More struct{ Name string }\n"},
			{"that file, deleted", "api/v1/more.go", "", ""},
			{"a new package", "api/v3/types.go", "", "package v3\n\n// +kubebuilder:object:generate=true\ntype T struct{ Name string }\n"},
			{"that package, deleted", "api/v3/types.go", "", ""},
			{"the constraint of a file", "api/v1/extra.go", "//go:build extra", "//go:build !extra"},
			{"a file of a package that is imported", "other/more.go", "", "package other\n\nfunc (o O) DeepCopy() O { return o }\n"},
			{"the modules of the workspace", "go.work", "./other", "./third"},
		}},
		"vendored": {vendored, []step{
			{"a vendored file", "vendor/example.com/dep/dep.go", "Name string", "Name *string"},
			{"a new vendored file", "vendor/example.com/dep/more.go", "", "package dep\n\nfunc (d D) DeepCopy() D { return d }\n"},
			{"that file, deleted", "vendor/example.com/dep/more.go", "", ""},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("GOFLAGS", "")
			t.Setenv("GOPROXY", "off")
			root := gentest.LayText(t, project.files)
			for from, to := range map[string]string{"other": "third", "replaced": "instead"} {
				for _, file := range []string{"go.mod", from + ".go"} {
					if data, err := os.ReadFile(filepath.Join(root, from, file)); err == nil {
						write(t, filepath.Join(root, to, file), string(data))
					}
				}
			}
			store := cache.At(t.TempDir(), 1<<30)
			settings := config.ControllerGen{Version: crdform.Version, Calls: []config.ControllerGenCall{{
				Paths:  []string{"./..."},
				Object: &config.ObjectGenerator{GeneratedHeader: config.GeneratedHeader{HeaderFile: "hack/header.txt", Year: config.CurrentYear}},
			}}}
			with := func(store *cache.Store) *calls.Made {
				m, err := calls.Make(t.Context(), root, settings, nil, store, "this program")
				require.NoError(t, err)
				require.NoError(t, m.Err(true))
				require.NotEmpty(t, m.Files)
				return m
			}
			holds := func(t *testing.T, before *calls.Made, seen bool) {
				t.Helper()
				after := with(store)
				assert.False(t, after.Cached && !seen, "what was kept is used")
				assert.Equal(t, with(nil).Files, after.Files)
				assert.NotEqual(t, before.Files, after.Files, "the change makes no difference, and so proves nothing")
				assert.True(t, with(store).Cached, "made twice")
			}
			before := with(store)
			require.True(t, with(store).Cached)
			for _, s := range project.steps {
				t.Run(s.name, func(t *testing.T) {
					file := filepath.Join(root, filepath.FromSlash(s.file))
					switch {
					case s.by == "":
						require.NoError(t, os.Remove(file))
					case s.old == "":
						write(t, file, s.by)
					default:
						data, err := os.ReadFile(file)
						require.NoError(t, err)
						require.Contains(t, string(data), s.old)
						write(t, file, strings.Replace(string(data), s.old, s.by, 1))
					}
					holds(t, before, s.by == "") // what is deleted was new before
				})
				before = with(store)
			}
			t.Run("build tags", func(t *testing.T) {
				if name != "linked" {
					settings.Calls[0].Env = map[string]string{"GOFLAGS": "-mod=vendor"}
					assert.False(t, with(store).Cached, "another flag")
					return
				}
				settings.Calls[0].BuildTags = []string{"ignore_autogenerated", "extra"}
				holds(t, before, false)
				settings.Calls[0].BuildTags = nil // with these, what is generated is read
			})
			t.Run("an output", func(t *testing.T) {
				compare := func() (all []string) {
					out := tree.New()
					kept := with(store)
					require.True(t, kept.Cached)
					_, err := calls.Add(out, root, settings, kept, 2026)
					require.NoError(t, err)
					found, err := out.Diff(root)
					require.NoError(t, err)
					for _, c := range found {
						write(t, filepath.Join(root, filepath.FromSlash(c.Path)), string(c.New))
						all = append(all, string(c.Op)+" "+c.Path)
					}
					return all
				}
				compare()
				assert.Empty(t, compare())
				output := filepath.Join(root, "api", "v1", "zz_generated.deepcopy.go")
				data, err := os.ReadFile(output)
				require.NoError(t, err)
				write(t, output, string(data)+"\n// edited\n")
				assert.Equal(t, []string{"update api/v1/zz_generated.deepcopy.go"}, compare())
				require.NoError(t, os.Remove(output))
				assert.Equal(t, []string{"create api/v1/zz_generated.deepcopy.go"}, compare())
			})
		})
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
}
