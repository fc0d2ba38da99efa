// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/toolchain"
)

// oldVersion is the last minor version whose programs have other flags.
const oldVersion = "v0.29.15"

// oldCalls are the calls of [fixtureRuns] as generate-groups.sh of that version wrote them.
func oldCalls() [][]string {
	const mod, client = "example.com/fixture/", "example.com/fixture/pkg/client/"
	foo, fooV1, bar := mod+"pkg/apis/foo", mod+"pkg/apis/foo/v1", mod+"pkg/apis/bar/v1alpha1"
	meta := "k8s.io/apimachinery/pkg/apis/meta/v1,k8s.io/apimachinery/pkg/runtime,k8s.io/apimachinery/pkg/version"
	apis := bar + "," + fooV1
	return [][]string{
		{"deepcopy-gen", "-i", bar + "," + foo + "," + fooV1, "-O", "zz_generated.deepcopy"},
		{"defaulter-gen", "-i", fooV1, "-O", "zz_generated.defaults"},
		{"conversion-gen", "-i", fooV1, "-O", "zz_generated.conversion"},
		{"prerelease-lifecycle-gen", "-i", fooV1, "-O", "zz_generated.prerelease-lifecycle"},
		{"openapi-gen", "-i", meta + "," + fooV1, "-O", "zz_generated.openapi", "-p", client + "openapi", "-r", "api.report"},
		{"applyconfiguration-gen", "-i", apis, "-p", client + "ac"},
		{"client-gen", "-p", client + "clientset", "--input-base", "", "--clientset-name", "versioned", "--input", apis, "--apply-configuration-package", client + "ac"},
		{"lister-gen", "-i", apis, "-p", client + "listers"},
		{"informer-gen", "-i", apis, "-p", client + "informers", "--versioned-clientset-package", client + "clientset/versioned", "--listers-package", client + "listers"},
		{"register-gen", "-i", fooV1, "-O", "zz_generated.register"},
	}
}

// Programs of a version with other flags write what they write when they are called by hand, with packages found in the module and not in
// a GOPATH.
func TestOldProgramsWriteTheSame(t *testing.T) {
	e, err := toolchain.Open(t.Context(), oldVersion)
	require.NoError(t, err)
	ours := fixture(t, oldVersion)
	boilerplate, err := os.ReadFile(filepath.Join(ours, "hack", "boilerplate.go.txt"))
	require.NoError(t, err)
	before := snapshot[[]byte](t, ours)
	calls, runs := oldCalls(), fixtureRuns(oldVersion)
	if os.Getenv("CRDCTL_ENGINES") == "" { // by hand, each takes half a minute
		fewer := func(name string) bool {
			return !slices.Contains([]string{"conversion-gen", "openapi-gen", "client-gen"}, name)
		}
		calls = slices.DeleteFunc(calls, func(call []string) bool { return fewer(call[0]) })
		runs = slices.DeleteFunc(runs, func(g toolchain.Generator) bool { return fewer(g.Name) })
	}
	files, notes, err := e.Run(t.Context(), ours, boilerplate, runs)
	require.NoError(t, err)
	assert.Empty(t, notes)
	assert.Len(t, snapshot[[]byte](t, ours), len(before), "a program wrote into the tree")

	bin, theirs := t.TempDir(), fixture(t, oldVersion)
	buildUpstream(t, bin, oldVersion)
	for _, call := range calls {
		out := t.TempDir()
		run(t, theirs, filepath.Join(bin, call[0]), slices.Concat(call[1:], []string{"--go-header-file", "hack/boilerplate.go.txt", "--output-base", out})...)
		require.NoError(t, os.CopyFS(theirs, os.DirFS(filepath.Join(out, "example.com", "fixture"))))
	}
	want := snapshot[[]byte](t, theirs)
	for path := range before {
		delete(want, path)
	}
	assert.GreaterOrEqual(t, len(want), 15, "upstream wrote too few files")
	compare(t, ours, files, want)
}
