// SPDX-License-Identifier: Apache-2.0

// Package toolchain compares the engines of other versions of upstream's generators with upstream's own programs, and holds what
// they say when they fail.
package toolchain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/e2e/internal/testcache"
	"github.com/crdctl/crdctl/internal/gen/toolchain"
	"github.com/crdctl/crdctl/internal/tree"
)

const newest = "v0.37.1"

// versions are those that are compared with upstream: one of before validation-gen, whose gengo formats in another way, and the
// newest. CRDCTL_ENGINES names others.
func versions() []string {
	if list := os.Getenv("CRDCTL_ENGINES"); list != "" {
		return strings.Fields(list)
	}
	return []string{"v0.31.14", newest}
}

// An engine's files are, byte by byte, those of upstream's own binaries of its version.
func TestUpstreamWritesTheSame(t *testing.T) {
	for _, version := range versions() {
		t.Run(version, func(t *testing.T) {
			e, err := toolchain.Open(t.Context(), version)
			require.NoError(t, err)
			runs := fixtureRuns(version)
			ours := fixture(t, version)
			boilerplate, err := os.ReadFile(filepath.Join(ours, "hack", "boilerplate.go.txt"))
			require.NoError(t, err)
			before := snapshot[[]byte](t, ours)
			want := upstream(t, version, before)
			start := time.Now()
			files, notes, err := e.Run(t.Context(), ours, boilerplate, runs)
			require.NoError(t, err)
			t.Logf("%d files in %v, %d notes", len(files), time.Since(start), len(notes))
			assert.Len(t, snapshot[[]byte](t, ours), len(before), "the engine wrote into the tree")
			assert.GreaterOrEqual(t, len(want), 30, "upstream wrote: files; the fixture asks for more")
			compare(t, ours, files, want)
		})
	}
}

// openapi-gen in an engine of its own writes what it writes in the engine of the code-generator that requires this version.
func TestOpenAPIApart(t *testing.T) {
	var module struct{ GoMod string }
	dir := t.TempDir()
	require.NoError(t, json.Unmarshal([]byte(run(t, dir, "go", "mod", "download", "-json", "k8s.io/code-generator@"+newest)), &module))
	data, err := os.ReadFile(module.GoMod)
	require.NoError(t, err)
	file, err := modfile.Parse("go.mod", data, nil)
	require.NoError(t, err)
	required := func(path string) string {
		i := slices.IndexFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == path })
		require.GreaterOrEqual(t, i, 0, path)
		return file.Require[i].Mod.Version
	}
	runs := slices.DeleteFunc(fixtureRuns(newest), func(g toolchain.Generator) bool { return g.Name != "openapi-gen" })
	require.NotEmpty(t, runs)
	root := fixture(t, newest)
	var made [2][]toolchain.File
	for n, open := range []func() (*toolchain.Toolchain, error){
		func() (*toolchain.Toolchain, error) { return toolchain.Open(t.Context(), newest) },
		func() (*toolchain.Toolchain, error) {
			return toolchain.OpenOpenAPI(t.Context(), required("k8s.io/kube-openapi"), required("k8s.io/gengo/v2"))
		},
	} {
		e, err := open()
		require.NoError(t, err)
		made[n], _, err = e.Run(t.Context(), root, []byte("// header\n"), runs)
		require.NoError(t, err)
	}
	require.NotEmpty(t, made[0])
	assert.Equal(t, made[0], made[1])
}

// upstream are the files that upstream's programs write for the fixture.
func upstream(t *testing.T, version string, before map[string][]byte) map[string][]byte {
	t.Helper()
	key := []string{version, runtime.Version(), fmt.Sprint(fixtureRuns(version))}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		key = append(key, path, string(before[path]))
	}
	data, err := testcache.Bytes("engine-output", key, func() ([]byte, error) {
		bin, err := testcache.Dir("generators-"+version, []string{runtime.Version()}, func(dir string) error {
			buildUpstream(t, dir, version)
			return nil
		})
		if err != nil {
			return nil, err
		}
		theirs := fixture(t, version)
		for _, g := range fixtureRuns(version) {
			args := slices.Concat(g.Flags, []string{"--go-header-file", "hack/boilerplate.go.txt"}, g.Inputs)
			run(t, theirs, filepath.Join(bin, g.Name), args...)
		}
		want := snapshot[[]byte](t, theirs)
		for path := range before {
			delete(want, path)
		}
		return json.Marshal(want)
	})
	require.NoError(t, err)
	var want map[string][]byte
	require.NoError(t, json.Unmarshal(data, &want))
	return want
}

// compare compares the files for the directory root with upstream's, by path.
func compare(t *testing.T, root string, files []toolchain.File, want map[string][]byte) {
	t.Helper()
	for _, f := range files {
		rel, err := filepath.Rel(root, f.Path)
		require.NoError(t, err)
		theirs, ok := want[rel]
		delete(want, rel)
		// Only the engine leaves the word YEAR.
		ours, asked := year(f.Content), year(theirs)
		switch {
		case !ok:
			t.Errorf("%s: upstream has no such file", rel)
		case filepath.Ext(rel) == ".go" && !bytes.Contains(f.Content, []byte("Copyright YEAR The Authors. In the YEAR of the fixture.")):
			t.Errorf("%s has no header as it was given:\n%.300s", rel, f.Content)
		case !bytes.Equal(ours, asked):
			t.Errorf("%s of %s differs from upstream's:\n%s", rel, f.Generator, tree.Change{Path: rel, Op: tree.Update, Old: asked, New: ours}.Patch())
		}
	}
	for path := range want {
		t.Errorf("%s: only upstream has it", path)
	}
}

// year takes the line with the year out of a header.
func year(content []byte) []byte {
	var out []byte
	for line := range bytes.Lines(content) {
		if !bytes.HasPrefix(line, []byte("Copyright ")) {
			out = append(out, line...)
		}
	}
	return out
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "PWD="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &stderr)
	return string(out)
}

// buildUpstream builds upstream's own programs, unchanged, into bin. The oldest need a newer golang.org/x/tools than they pin,
// since Go itself has moved on; nothing else is different from "go install".
func buildUpstream(t *testing.T, bin, version string) {
	t.Helper()
	const module, tools, oldestTools = "k8s.io/code-generator", "golang.org/x/tools", "v0.26.0"
	dir := t.TempDir()
	var upstream struct{ GoMod string }
	require.NoError(t, json.Unmarshal([]byte(run(t, dir, "go", "mod", "download", "-json", module+"@"+version)), &upstream))
	pinned, err := os.ReadFile(upstream.GoMod)
	require.NoError(t, err)
	f, err := modfile.Parse("go.mod", pinned, nil)
	require.NoError(t, err)
	for _, r := range f.Require {
		if r.Mod.Path == tools && semver.Compare(r.Mod.Version, oldestTools) < 0 {
			err = errors.Join(err, f.AddRequire(tools, oldestTools))
		}
	}
	if err := errors.Join(err, f.AddModuleStmt("example.com/upstream"), f.AddRequire(module, version)); err != nil {
		t.Fatal(err)
	}
	goMod, err := f.Format()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), goMod, 0o600)
	}
	require.NoError(t, err)
	args := []string{"build", "-mod=mod", "-o", bin + string(filepath.Separator)}
	for _, r := range fixtureRuns(version) {
		pkg := module + "/cmd/" + r.Name
		if r.Name == "openapi-gen" && version != oldVersion {
			pkg = "k8s.io/kube-openapi/cmd/openapi-gen"
		}
		args = append(args, pkg)
	}
	run(t, dir, "go", slices.Compact(args)...)
}
