// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/gen/toolchain"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// fixtureRuns are all generators of a version, called as kube_codegen.sh calls them.
func fixtureRuns(version string) []toolchain.Generator {
	const mod, client = "example.com/fixture/", "pkg/client/"
	foo, fooV1, bar := mod+"pkg/apis/foo", mod+"pkg/apis/foo/v1", mod+"pkg/apis/bar/v1alpha1"
	apis := []string{bar, fooV1}
	meta := []string{"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/version"}
	out := func(name string, more ...string) []string {
		return append([]string{"--output-dir", client + name, "--output-pkg", mod + client + name}, more...)
	}
	plurals := []string{"--plural-exceptions", "Endpoints:Endpoints"}
	all := []toolchain.Generator{
		{Name: "deepcopy-gen", Flags: []string{"--output-file", "zz_generated.deepcopy.go"}, Inputs: []string{bar, foo, fooV1}},
		{Name: "defaulter-gen", Flags: []string{"--output-file", "zz_generated.defaults.go"}, Inputs: []string{fooV1}},
		{Name: "conversion-gen", Flags: []string{"--output-file", "zz_generated.conversion.go"}, Inputs: []string{fooV1}},
		{Name: "prerelease-lifecycle-gen", Flags: []string{"--output-file", "zz_generated.prerelease-lifecycle.go"}, Inputs: []string{fooV1}},
		{Name: "openapi-gen", Flags: append(out("openapi"), "--output-file", "zz_generated.openapi.go", "--report-filename", "api.report"), Inputs: append(meta, fooV1)},
		{Name: "applyconfiguration-gen", Flags: out("ac"), Inputs: apis},
		{Name: "client-gen", Flags: append(out("clientset", "--input-base", "", "--clientset-name", "versioned", "--apply-configuration-package", mod+client+"ac",
			"--input", bar, "--input", fooV1), plurals...), Inputs: nil},
		{Name: "lister-gen", Flags: append(out("listers"), plurals...), Inputs: apis},
		{Name: "informer-gen", Flags: append(out("informers", "--versioned-clientset-package", mod+client+"clientset/versioned", "--listers-package", mod+client+"listers"), plurals...), Inputs: apis},
	}
	if semver.Compare(version, "v0.33.0") >= 0 {
		readOnly := []string{"--output-file", "zz_generated.validations.go"}
		for _, pkg := range append(meta, "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/util/intstr", "time") {
			readOnly = append(readOnly, "--readonly-pkg", pkg)
		}
		all = append(all, toolchain.Generator{Name: "validation-gen", Flags: readOnly, Inputs: []string{bar}}, toolchain.Generator{Name: "validation-gen", Flags: readOnly, Inputs: []string{fooV1}})
	}
	// Upstream writes model names next to the packages, which may be in the module cache: only where it can be told not to
	// may this test ask for them.
	if openAPI := &all[4]; semver.Compare(version, "v0.36.0") >= 0 {
		openAPI.Flags = append(openAPI.Flags, "--output-model-name-file", "zz_generated.model_name.go")
		for _, pkg := range meta {
			openAPI.Flags = append(openAPI.Flags, "--readonly-pkg", pkg)
		}
	}
	// Its file bears no build tag, and so the others would see it.
	return append(all, toolchain.Generator{Name: "register-gen", Flags: []string{"--output-file", "zz_generated.register.go"}, Inputs: []string{fooV1}})
}

// fixture writes the module of testdata/fixture.txtar into a directory of its own.
func fixture(t *testing.T, version string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	archive, err := txtar.ParseFile(filepath.Join("testdata", "fixture.txtar"))
	require.NoError(t, err)
	for _, name := range []string{"go.mod", "go.sum"} {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: gentest.ModuleFiles(t)[name]})
	}
	for _, f := range archive.Files {
		if semver.Compare(version, "v0.37.0") >= 0 { // the tag took other values then
			f.Data = bytes.ReplaceAll(f.Data, []byte("validation-gen=TypeMeta"), []byte("validation-gen=TypesWithField=TypeMeta"))
		}
		safefstest.WriteFiles(t, dir, map[string]string{f.Name: string(f.Data)})
	}
	return dir
}

// snapshot reads all files below a directory, by their paths in it.
func snapshot[T string | []byte](t *testing.T, root string) map[string]T {
	t.Helper()
	files := map[string]T{}
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(root, p))
		files[p] = T(data)
		return err
	})
	require.NoError(t, err)
	return files
}
