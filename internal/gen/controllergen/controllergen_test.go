// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/workspace"
)

// farm has an API, a controller that does not compile, and a module below that git would know.
const farm = `
-- hack/header.txt --
// Copyright YEAR The Farmers.
-- api/v1/doc.go --
// +groupName=example.com
// +kubebuilder:object:generate=true
package v1
-- api/v1/barn.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Barn is where animals are.
// +kubebuilder:object:root=true
type Barn struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
}
-- internal/controller/controller.go --
package controller

import _ "example.com/farm/clients/that/are/not/made"

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
// +kubebuilder:webhook:path=/barns,mutating=true,failurePolicy=fail,sideEffects=None,groups=example.com,resources=barns,verbs=create,versions=v1,name=m.example.com,admissionReviewVersions=v1
-- internal/tools/tools.go --
//go:build tools

package tools

// +kubebuilder:rbac:groups=apps,resources=tools,verbs=get
import _ "example.com/farm/tools/that/are/not/here"
-- internal/_draft/draft.go --
package draft

// +kubebuilder:rbac:groups=apps,resources=drafts,verbs=get
-- sub/go.mod --
module example.com/farm/sub

go 1.26
-- sub/sub.go --
package sub

// +kubebuilder:rbac:groups=apps,resources=daemonsets,verbs=get
`

// lay lays files out with this repository's requirements.
func lay(t *testing.T, archive string) string {
	t.Helper()
	t.Setenv("GOFLAGS", "")
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join("../../..", name))
		require.NoError(t, err)
		archive += "-- " + name + " --\n" + strings.Replace(string(data), "module github.com/crdctl/crdctl\n", "module example.com/farm\n", 1)
	}
	return gentest.LayText(t, archive)
}

func TestRun(t *testing.T) {
	dir := lay(t, farm)
	header := config.GeneratedHeader{HeaderFile: "hack/header.txt", Year: config.CurrentYear}
	settings := config.ControllerGen{Version: crdform.Version, Calls: []config.ControllerGenCall{
		{Paths: []string{"./..."}, CRD: &config.CRDGenerator{}, RBAC: &config.RBACGenerator{RoleName: "farmer"}, Webhook: &config.WebhookGenerator{}, Output: map[string]string{"crd": "out"}},
		{Paths: []string{"./v1"}, Dir: "api", Object: &config.ObjectGenerator{GeneratedHeader: header}, CRD: &config.CRDGenerator{}, Output: map[string]string{"crd": config.OutputNone}},
		{Paths: []string{"example.com/farm/internal/..."}, Version: "(devel)", RBAC: &config.RBACGenerator{RoleName: "r", GeneratedHeader: config.GeneratedHeader{HeaderFile: "hack/header.txt"}}, Output: map[string]string{"rbac": "r"}},
	}}
	settings.Calls[1].Object.HeaderFile = "../hack/header.txt"
	r, err := Run(t.Context(), dir, settings, nil)
	require.NoError(t, err)
	content := map[string]string{}
	var got []string
	for _, f := range r.Files {
		content[f.Path] = string(f.Content)
		got = append(got, strings.Join([]string{f.Generator, f.Path}, " "))
		assert.Equal(t, f.Generator == "object", f.Year)
	}
	assert.Equal(t, []string{"rbac config/rbac/role.yaml", "webhook config/webhook/manifests.yaml", "crd out/example.com_barns.yaml", "object api/v1/zz_generated.deepcopy.go", "rbac r/role.yaml"}, got)
	assert.Contains(t, content["config/rbac/role.yaml"], "resources:\n  - daemonsets\n  - deployments\n", "a module below counts, and not what the go command leaves out")
	assert.Contains(t, content["r/role.yaml"], "Copyright  The Farmers", "an empty year leaves two spaces")
	assert.Contains(t, content["r/role.yaml"], "resources:\n  - deployments\n")
	assert.Contains(t, content["api/v1/zz_generated.deepcopy.go"], "// Copyright YEAR The Farmers.")
	assert.Contains(t, content["out/example.com_barns.yaml"], "controller-gen.kubebuilder.io/version: "+crdform.Version+"\n")

	only, err := Run(t.Context(), dir, settings, []string{"webhook"})
	require.NoError(t, err)
	require.Len(t, only.Files, 1)
	i := slices.IndexFunc(r.Files, func(f File) bool { return f.Generator == "webhook" })
	assert.Equal(t, r.Files[i], only.Files[0])
}

// Files that a call names are a package without the others of their directory, which may not compile.
func TestFiles(t *testing.T) {
	dir := lay(t, farm+"-- api/v1/broken.go --\npackage v1\n\n// +kubebuilder:object:root=true\ntype Broken missing\n")
	call := config.ControllerGenCall{Dir: "api/v1", Paths: []string{"barn.go", "doc.go"}, CRD: &config.CRDGenerator{}, Output: map[string]string{"crd": "../../out"}}
	r, err := Run(t.Context(), dir, config.ControllerGen{Version: crdform.Version, Calls: []config.ControllerGenCall{call}}, nil)
	require.NoError(t, err)
	require.Empty(t, r.Failed)
	require.Len(t, r.Files, 1)
	assert.Equal(t, "out/example.com_barns.yaml", r.Files[0].Path)
	assert.Contains(t, string(r.Files[0].Content), "name: v1\n")
}

// Markers right above a type are that type's, and no webhook's.
// Deep copies that are there already are made as if they were not, with build tags under which their file is read, too.
func TestDeepCopiesWithTags(t *testing.T) {
	dir := lay(t, farm)
	settings := config.ControllerGen{Version: crdform.Version, Calls: []config.ControllerGenCall{{Paths: []string{"./api/..."}, Object: &config.ObjectGenerator{}}}}
	first, err := Run(t.Context(), dir, settings, nil)
	require.NoError(t, err)
	require.Len(t, first.Files, 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(first.Files[0].Path)), first.Files[0].Content, 0o644))
	settings.Calls[0].BuildTags = []string{"containers"}
	again, err := Run(t.Context(), dir, settings, nil)
	require.NoError(t, err)
	require.Len(t, again.Files, 1)
	assert.Equal(t, first.Files[0].Path, again.Files[0].Path)
	assert.Contains(t, string(again.Files[0].Content), "DeepCopyObject()")
}

func TestSilent(t *testing.T) {
	dir := lay(t, "-- hooks/hooks.go --\npackage hooks\n\n// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a,admissionReviewVersions=v1\ntype Validator struct{}\n")
	r, err := Run(t.Context(), dir, config.ControllerGen{Version: crdform.Version, Calls: []config.ControllerGenCall{
		{Paths: []string{"./..."}, RBAC: &config.RBACGenerator{RoleName: "farmer"}, Webhook: &config.WebhookGenerator{}},
	}}, nil)
	require.NoError(t, err)
	assert.Empty(t, r.Files)
	assert.Equal(t, map[int][]string{0: {"webhook"}}, r.Silent)
}

// A call that needs a module or a version that is unavailable fails alone.
func TestUnavailable(t *testing.T) {
	dir := lay(t, farm+"-- needy/needy.go --\n// +kubebuilder:object:generate=true\npackage needy\n\nimport _ \"example.org/none\"\n")
	t.Setenv("GOPROXY", "off")
	rbac := &config.RBACGenerator{RoleName: "farmer"}
	r, err := Run(t.Context(), dir, config.ControllerGen{Version: crdform.Version, Calls: []config.ControllerGenCall{
		{Paths: []string{"example.org/none"}, RBAC: rbac},
		{Paths: []string{"./needy"}, Object: &config.ObjectGenerator{}},
		{Paths: []string{"./internal/..."}, RBAC: rbac},
		{Paths: []string{"./..."}, Version: "v0.1.12", RBAC: rbac},
		{Paths: []string{"./api/..."}, Version: "v0.18.999", CRD: &config.CRDGenerator{}},
		{Paths: []string{"./internal/..."}, Version: "v0.18.999", RBAC: rbac},                 // which needs no engine
		{Paths: []string{"./api/..."}, CRD: &config.CRDGenerator{TrivialVersions: new(bool)}}, // which is of an older version
	}}, nil)
	require.NoError(t, err)
	require.Len(t, r.Files, 2)
	assert.Equal(t, 2, r.Files[0].Call)
	assert.Equal(t, 5, r.Files[1].Call)
	assert.ErrorContains(t, r.Failed[0], "no required module provides package example.org/none")
	assert.ErrorContains(t, r.Failed[1], "needy/needy.go:4:8: no required module provides package example.org/none")
	assert.ErrorContains(t, r.Failed[3], "controller-gen v0.1.12 is older")
	assert.ErrorContains(t, r.Failed[4], "module lookup disabled by GOPROXY=off")
	assert.ErrorContains(t, r.Failed[6], "has no option crd:trivialVersions, which was removed in v0.7.0")
	assert.Len(t, r.Failed, 5)
}

// Packages that do not load are reported before the engine that would run on them is built.
func TestUnlisted(t *testing.T) {
	dir := lay(t, farm)
	require.NoError(t, os.Remove(filepath.Join(dir, "go.sum")))
	t.Setenv("GOPROXY", "off")
	r, err := Run(t.Context(), dir, config.ControllerGen{Version: "v0.18.999", Calls: []config.ControllerGenCall{{Paths: []string{"./api/..."}, CRD: &config.CRDGenerator{}}}}, nil)
	require.NoError(t, err)
	require.EqualError(t, r.Failed[0], "run controller-gen crd paths=./api/...:\n  go.sum does not exist, and the build needs it\nrun \"go mod tidy\", which creates it")
}

// What controller-gen refuses fails a call that was inferred from a file that it never made like that; a call of the project's is an error.
func TestInferred(t *testing.T) {
	dir := lay(t, farm+"-- alias/alias.go --\n// +kubebuilder:object:generate=true\npackage alias\n\ntype Value = string\n\ntype Labels struct {\n\tMatch map[string]Value\n}\n")
	call := config.ControllerGenCall{Paths: []string{"./alias"}, Object: &config.ObjectGenerator{}}
	settings := config.ControllerGen{Version: crdform.Version, Calls: []config.ControllerGenCall{call, {Paths: []string{"./internal/..."}, RBAC: &config.RBACGenerator{RoleName: "farmer"}}}}
	_, err := Run(t.Context(), dir, settings, nil)
	assert.ErrorContains(t, err, "invalid map value type")
	settings.Calls[0].Inferred = "alias/zz_generated.deepcopy.go"
	r, err := Run(t.Context(), dir, settings, nil)
	require.NoError(t, err)
	assert.Len(t, r.Files, 1)
	assert.ErrorContains(t, r.Failed[0], "no command that crdctl can read generates alias/zz_generated.deepcopy.go, and what its header names fails; set controllerGen: {calls: […]}: run controller-gen object")
	assert.True(t, diag.IsInferred(r.Failed[0]))
}

// A header that is not Go code fails its call, also when the project makes it, and the others go on.
func TestHeaderThatIsNoGo(t *testing.T) {
	root := lay(t, farm+"-- text.txt --\nCopyright 2026\n")
	settings := config.ControllerGen{Version: crdform.Version, Calls: []config.ControllerGenCall{
		{Paths: []string{"./api/..."}, Object: &config.ObjectGenerator{GeneratedHeader: config.GeneratedHeader{HeaderFile: "text.txt"}}},
		{Paths: []string{"./api/..."}, CRD: &config.CRDGenerator{}},
	}}
	r, err := Run(t.Context(), root, settings, nil)
	require.NoError(t, err)
	assert.ErrorContains(t, r.Failed[0], "text.txt is not Go code: run controller-gen object:headerFile=text.txt")
	assert.True(t, diag.IsUnavailable(r.Failed[0]))
	assert.Len(t, r.Files, 1)
}

func TestErrors(t *testing.T) {
	dir := lay(t, farm)
	for err, c := range map[string]config.ControllerGenCall{
		"the version of controller-gen is unknown; set controllerGen.version in crdctl.yaml to that of sigs.k8s.io/controller-tools":                                                                                         {CRD: &config.CRDGenerator{}, Paths: []string{"./..."}},
		"controller-gen v0.1.12 is older than crdctl can run; pin sigs.k8s.io/controller-tools v0.2.0 or newer":                                                                                                              {CRD: &config.CRDGenerator{}, Version: "v0.1.12"},
		"controller-gen v0.17.2 has no generator applyconfiguration; pin sigs.k8s.io/controller-tools v0.18.0 or newer":                                                                                                      {ApplyConfiguration: &config.ApplyGenerator{}, Version: "v0.17.2"},
		"run controller-gen webhook paths=./none: open " + filepath.Join(dir, "none") + ": no such file or directory; correct the path in the call":                                                                          {Webhook: &config.WebhookGenerator{}, Paths: []string{"./none"}, Version: "v0.20.0"},
		"run controller-gen webhook paths=./x.go: " + filepath.Join(dir, "x.go") + " is a file, of which controller-gen makes a package of its own; crdctl reads directories":                                                {Webhook: &config.WebhookGenerator{}, Paths: []string{"./x.go"}, Version: "v0.20.0"},
		"run controller-gen webhook paths=./hack: no Go files in " + filepath.Join(dir, "hack") + "; correct the path in the call":                                                                                           {Webhook: &config.WebhookGenerator{}, Paths: []string{"./hack"}, Version: "v0.20.0"},
		"run controller-gen rbac:roleName=r paths=./internal/tools:\n  build constraints exclude all Go files in internal/tools":                                                                                             {RBAC: &config.RBACGenerator{RoleName: "r"}, Paths: []string{"./internal/tools"}, Version: "v0.20.0"},
		"run controller-gen rbac:roleName=r paths=./... output:rbac:dir=../x: rbac writes " + filepath.Join(filepath.Dir(dir), "x", "role.yaml") + ", which is outside of " + dir + "; run crdctl in a directory above both": {RBAC: &config.RBACGenerator{RoleName: "r"}, Paths: []string{"./..."}, Version: "v0.20.0", Output: map[string]string{"rbac": "../x"}},
	} {
		r, got := Run(t.Context(), dir, config.ControllerGen{Calls: []config.ControllerGenCall{c}}, nil)
		if r != nil {
			got = r.Failed[0]
		}
		assert.EqualError(t, got, err)
	}
}

// Packages with webhooks, and those with apply configurations, are in the order in which the go command lists them: those that others import
// come first.
func TestRootsAreInTheOrderOfImports(t *testing.T) {
	const hook = "// +kubebuilder:webhook:name=x\n// +kubebuilder:ac:generate=true\n"
	root := lay(t, "-- main.go --\npackage main\n\nimport _ \"example.com/farm/hooks\"\n\nfunc main() {}\n"+
		"-- hooks/hooks.go --\npackage hooks\n\nimport _ \"example.com/farm/hooks/z\"\n"+
		"-- hooks/a/a.go --\npackage a\n\n"+hook+
		"-- hooks/z/z.go --\npackage z\n\n"+hook)
	for _, generator := range []string{"webhook", "applyconfiguration"} {
		r := &runner{root: root, dirs: newDirs(), listings: newListings()}
		all, err := r.roots(t.Context(), &call{ControllerGenCall: config.ControllerGenCall{Paths: []string{"./..."}}, dir: root, names: []string{generator}})
		require.NoError(t, err)
		assert.Equal(t, []string{"example.com/farm/hooks/z", "example.com/farm/hooks", "example.com/farm", "example.com/farm/hooks/a"}, paths(all))
	}
}

// Until v0.8.0 controller-gen loads the packages of one module, in one order for all paths.
func TestRootsOfOldVersions(t *testing.T) {
	const hook = "// +kubebuilder:webhook:name=x\n"
	root := lay(t, "-- a/a.go --\npackage a\n\nimport _ \"example.com/farm/z\"\n\n"+hook+"-- z/z.go --\npackage z\n\n"+hook+
		"-- sub/go.mod --\nmodule example.com/sub\n\ngo 1.26\n-- sub/sub.go --\npackage sub\n")
	roots := func(version string, patterns ...string) ([]string, error) {
		r := &runner{root: root, dirs: newDirs(), listings: newListings()}
		all, err := r.roots(t.Context(), &call{ControllerGenCall: config.ControllerGenCall{Paths: patterns}, dir: root, code: version, names: []string{"webhook"}})
		return paths(all), err
	}
	for version, want := range map[string][]string{
		"v0.8.0": {"example.com/farm/z", "example.com/farm/a"}, "v0.9.0": {"example.com/farm/a", "example.com/farm/z"},
	} {
		all, err := roots(version, "./a/...", "./z/...")
		require.NoError(t, err)
		assert.Equal(t, want, all)
	}
	all, err := roots("v0.8.0", "./...")
	require.NoError(t, err)
	assert.NotContains(t, all, "example.com/sub")
	_, err = roots("v0.8.0", "./sub/...")
	require.EqualError(t, err, "controller-gen v0.8.0 loads no other module, and "+filepath.Join(root, "sub")+" is in one; correct the path in the call")
	all, err = roots("v0.9.0", "./...")
	require.NoError(t, err)
	assert.Contains(t, all, "example.com/sub")
}

// Only a package that declares kinds has to be a root for the CRDs: all others would be type-checked in vain.
func TestPackagesWithKinds(t *testing.T) {
	for text, want := range map[string]bool{
		"type A struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n}\n":                 true,
		"type A struct {\n\tTypeMeta\n\tObjectMeta // of this package\n}\n":                                                   true,
		"type A struct{ metav1.TypeMeta; metav1.ObjectMeta }\n":                                                               true,
		"type M = metav1.TypeMeta\n\ntype O = metav1.ObjectMeta\n\ntype A struct {\n\tM\n\tO\n}\n":                            true,
		"var a = A{\n\tTypeMeta:   metav1.TypeMeta{Kind: \"A\"},\n\tObjectMeta: metav1.ObjectMeta{Name: \"a\"},\n}\n":         false,
		"func f(a A) {\n\ta.TypeMeta = metav1.TypeMeta{}\n\tg(a.ObjectMeta)\n}\n\n// TypeMeta and ObjectMeta are metadata.\n": false,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n"+text), 0o600))
		m, err := read(dir)
		require.NoError(t, err)
		assert.Equal(t, want, m.kind, text)
	}
}

// Vendored packages have one import path, whether they are roots or imported.
func TestVendoredRoots(t *testing.T) {
	dir := gentest.LayText(t, `
-- go.mod --
module example.com/farm
-- vendor/example.com/barns/v1/barn.go --
package v1
-- vendors/v1/vendor.go --
package v1
`)
	e := &expansion{runner: &runner{root: dir, dirs: newDirs()}, paths: workspace.ImportPaths{}, known: map[string]bool{}}
	for _, below := range []string{"vendor/example.com", "vendors"} {
		_, err := e.below(filepath.Join(dir, filepath.FromSlash(below)))
		require.NoError(t, err)
	}
	require.Len(t, e.all, 2)
	assert.Equal(t, "example.com/barns/v1", e.all[0].path)
	assert.Equal(t, "example.com/farm/vendors/v1", e.all[1].path)
}

// Errors that are all in other modules are those of a version that is older than these.
func TestForeign(t *testing.T) {
	r := &runner{root: filepath.FromSlash("/farm")}
	their, own, about := packages.Error{Pos: "/go/pkg/mod/k8s.io/api@v0.36.1/core/v1/doc.go:23:1"}, packages.Error{Pos: "/farm/api/v1/doc.go:1:1"}, packages.Error{Pos: "example.com/farm/v1:-"}
	assert.Equal(t, "k8s.io/api@v0.36.1/core/v1/doc.go", r.foreign([]packages.Error{about, their}))
	assert.Equal(t, "k8s.io/api/core/v1/doc.go", r.foreign([]packages.Error{{Pos: "/farm/vendor/k8s.io/api/core/v1/doc.go:23:1"}, about}))
	assert.Empty(t, r.foreign([]packages.Error{their, own}))
	assert.Empty(t, r.foreign([]packages.Error{about}))
	assert.Empty(t, r.foreign([]packages.Error{{Pos: "api/v1/barn.go:4:2", Msg: "a module is unavailable"}}))
}

// A version that panics has a bug: what it would make is not known, and other calls can be compared.
func TestCrashed(t *testing.T) {
	r := &runner{root: filepath.FromSlash("/farm")}
	c := &call{ControllerGenCall: config.ControllerGenCall{Object: &config.ObjectGenerator{}, Paths: []string{"./..."}}, code: "v0.4.1"}
	_, err := r.files(c, host.Result{Failures: []string{"interface conversion: types.Type is *types.Basic, not *types.Named"}})
	assert.EqualError(t, err, "run controller-gen object paths=./...:\n  interface conversion: types.Type is *types.Basic, not *types.Named\ncontroller-gen v0.4.1 crashes here; set a later version")
	assert.True(t, diag.IsUnavailable(err))
	assert.False(t, diag.IsUnsupported(err))
	_, err = r.files(c, host.Result{Failures: []string{"open hack/header.txt: no such file or directory"}})
	require.Error(t, err)
	assert.False(t, diag.IsUnavailable(err))
}

// The go command takes no relative file of a workspace: it is one of the directory of the call.
func TestVariables(t *testing.T) {
	dir := t.TempDir()
	for value, want := range map[string]string{"off": "off", "go.work.gen": filepath.Join(dir, "go.work.gen"), filepath.Join(dir, "go.work"): filepath.Join(dir, "go.work")} {
		c := &call{ControllerGenCall: config.ControllerGenCall{Env: map[string]string{"GOWORK": value}}, dir: dir}
		assert.Equal(t, []string{"GOWORK=" + want}, variables(c))
	}
}
