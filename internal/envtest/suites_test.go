// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}

func TestInspect(t *testing.T) {
	root := t.TempDir()
	const imports = "package x\n\nimport et \"sigs.k8s.io/controller-runtime/pkg/envtest\"\n\n"
	write(t, root, "a/a_test.go", imports+"var _ = et.Environment{DownloadBinaryAssets: false}\n")
	write(t, root, "b/b.go", imports+"func f(e *et.Environment) {\n\te.DownloadBinaryAssets = true\n}\n")
	write(t, root, "c/c_test.go", "package x // DownloadBinaryAssets: true\n")
	write(t, root, "go.mod", "module example.com/x\n\nrequire k8s.io/api v0.35.2\n")
	write(t, root, "vendor/v/v.go", imports)
	write(t, root, ".cache/v/v.go", imports)
	got, err := Inspect(root)
	require.NoError(t, err)
	assert.Equal(t, Suites{Files: []string{"a/a_test.go", "b/b.go"}, Downloads: []string{"b/b.go:6"}}, got)

	// A suite on a cluster that exists needs one.
	write(t, root, "d/d_test.go", imports+"var existing = true\n\nvar a = et.Environment{UseExistingCluster: &existing}\nvar b = et.Environment{UseExistingCluster: ptr.To(true)}\nvar c = et.Environment{UseExistingCluster: ptr.To(false)}\n")
	got, err = Inspect(root)
	require.NoError(t, err)
	assert.Equal(t, []string{"d/d_test.go:7", "d/d_test.go:8"}, got.Existing)

	// What is set in some cases alone, such as with a variable of the environment, is not known to be so.
	write(t, root, "e/e_test.go", imports+"func f(e *et.Environment) {\n\texisting := false\n\tif wanted() {\n\t\texisting = true\n\t}\n\te.UseExistingCluster = &existing\n"+
		"\tif yes := true; wanted() {\n\t\te.UseExistingCluster = &yes\n\t} else {\n\t\te.DownloadBinaryAssets = true\n\t}\n\tswitch {\n\tcase wanted():\n\t\te.UseExistingCluster = ptr.To(true)\n\t}\n}\n")
	again, err := Inspect(root)
	require.NoError(t, err)
	assert.Equal(t, got.Existing, again.Existing)
	assert.Equal(t, got.Downloads, again.Downloads)

	// A package of another module may start envtest, as that of flux does.
	write(t, root, "test/go.mod", "module example.com/x/test\n\nrequire (\n\tsigs.k8s.io/controller-runtime v0.24.1 // indirect\n)\n")
	got, err = Inspect(root)
	require.NoError(t, err)
	assert.True(t, got.Possible)
}

// How projects name the version in their Makefiles.
func TestAsked(t *testing.T) {
	for _, name := range variables {
		t.Setenv(name, "")
	}
	for _, c := range []struct{ name, file, content, version, where string }{
		{"none", "Makefile", "all:\n", "", ""},
		{"kubebuilder of old", "Makefile", "ENVTEST_K8S_VERSION = 1.31.0\n", "1.31.0", "Makefile:1"},
		{"a minor version", "Makefile", "\nENVTEST_K8S_VERSION ?= 1.34.x\n", "1.34", "Makefile:2"},
		{"exported, in an include", "make/deps.mk", "export KUBEBUILDER_ENVTEST_KUBERNETES_VERSION := v1.36.0\n", "1.36.0", "make/deps.mk:1"},
		{"computed", "Makefile", "ENVTEST_K8S_VERSION ?= $(shell go list -m -f \"{{ .Version }}\" k8s.io/api | awk -F'[v.]' '{printf \"1.%d\", $$3}')\n", "1.35", "Makefile:1"},
		{"the latest", "Makefile", "ENVTEST_KUBERNETES_VERSION?=latest\n", "", ""},
		{"of the tool", "Makefile", "ENVTEST_VERSION ?= release-0.22\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "go.mod", "module example.com/x\n\nrequire k8s.io/api v0.35.2\n")
			write(t, root, c.file, c.content)
			version, where, err := Asked(root)
			require.NoError(t, err)
			assert.Equal(t, c.version, version)
			assert.Equal(t, c.where, where)
		})
	}
	t.Setenv("ENVTEST_K8S_VERSION", "1.36.1")
	version, where, err := Asked(t.TempDir())
	require.NoError(t, err)
	assert.Equal(t, []string{"1.36.1", "$ENVTEST_K8S_VERSION"}, []string{version, where})
}

// A program that is moved or upgraded is found again, one that is a file of its own size stays.
func TestFill(t *testing.T) {
	root := t.TempDir()
	dir, old, now := filepath.Join(root, "bin"), filepath.Join(root, "old"), filepath.Join(root, "new")
	write(t, root, "old", "old")
	write(t, root, "new", "new and longer")
	for _, self := range []string{old, now, now} {
		require.NoError(t, fill(dir, self))
		for _, name := range Programs {
			content, err := os.ReadFile(filepath.Join(dir, executable(name)))
			require.NoError(t, err)
			want, err := os.ReadFile(self)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(content))
		}
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, len(Programs), "nothing else is left there")
}
