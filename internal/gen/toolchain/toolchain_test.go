// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

func TestVersionsThatAreRefused(t *testing.T) {
	for _, version := range []string{"", "0.35.2", "v0.15.9", "latest", "v0.35.2/../.."} {
		_, err := Open(t.Context(), version)
		assert.ErrorContains(t, err, "pin v0.16.0 or newer", version)
	}
}

// Without network and module cache, the error names the cause and ends in what fixes it, and nothing is left behind.
func TestNoNetwork(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	_, err := in(t.Context(), cache, "v0.35.2")
	require.ErrorIs(t, err, ErrBuild, "not the error of a build")
	const want = `the generators of this version cannot be built: k8s.io/code-generator v0.35.2: go mod: k8s.io/code-generator@v0.35.2: module lookup disabled by GOPROXY=off
with the module proxy in reach, run "crdctl generate --dry-run"`
	assert.Equal(t, want, err.Error(), "got:\n%v\nwant", err)
	left, _ := os.ReadDir(cache)
	assert.Empty(t, left, "left behind")
}

func TestBatches(t *testing.T) {
	var gens []Generator
	for _, name := range []string{"deepcopy-gen", "validation-gen", "validation-gen", "client-gen"} {
		gens = append(gens, Generator{Name: name})
	}
	got := batches(gens)
	if len(got) != 2 || !slices.Equal(got[0], []int{0, 1, 3}) || !slices.Equal(got[1], []int{2}) {
		t.Errorf("batches %v", got)
	}
	assert.Empty(t, batches(nil), "batches of nothing")
}

// What is in the cache is used only if it is what was put there.
func TestCache(t *testing.T) {
	cache := t.TempDir()
	k := codeGenerator.key("v0.35.2", "go1.26.0")
	if other := codeGenerator.key("v0.35.2", "go1.27.0"); other == k {
		t.Error("two versions of Go have one key")
	}
	put := func(content string) {
		t.Helper()
		d, err := newScratch(cache)
		require.NoError(t, err)
		built := filepath.Join(d.Path, "built")
		require.NoError(t, os.Mkdir(built, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(built, binaryName), []byte(content), 0o700))
		binary, err := install(t.Context(), cache, k, built, d.Path)
		require.NoError(t, err)
		if got, err := os.ReadFile(binary); err != nil || string(got) != "first" {
			t.Errorf("installed %q, %v", got, err)
		}
		assert.NoError(t, d.Remove())
	}
	put("first")
	binary, ok := lookUp(cache, k)
	require.True(t, ok, "not found")
	put("first") // another process was faster: its engine stays
	for name, content := range map[string]string{"truncated": "fir", "foreign": "other"} {
		require.NoError(t, os.WriteFile(binary, []byte(content), 0o700))
		if _, ok := lookUp(cache, k); ok {
			t.Errorf("a %s engine is trusted", name)
		}
		put("first")
	}
	// and the lock
	entries, _ := os.ReadDir(cache)
	assert.Len(t, entries, 2, "in the cache")
}

// Builds that end at once leave one engine, and each of them has it.
func TestInstallAtOnce(t *testing.T) {
	cache, k := t.TempDir(), codeGenerator.key("v0.35.2", "go1.26.0")
	broken := filepath.Join(cache, k.name)
	require.NoError(t, os.Mkdir(broken, 0o700))
	var g errgroup.Group
	for range 16 {
		g.Go(func() error {
			d, err := newScratch(cache)
			if err != nil {
				return err
			}
			built := filepath.Join(d.Path, "built")
			if err := errors.Join(os.Mkdir(built, 0o700), os.WriteFile(filepath.Join(built, binaryName), []byte("engine"), 0o700)); err != nil {
				return err
			}
			binary, err := install(t.Context(), cache, k, built, d.Path)
			if err != nil {
				return err
			}
			content, err := os.ReadFile(binary)
			if string(content) != "engine" {
				return errors.Join(err, errors.New("not the engine"))
			}
			return d.Remove()
		})
	}
	assert.NoError(t, g.Wait())
}

func TestAdaptFile(t *testing.T) {
	const src = `// Words above.
package main

import (
	"fmt"
	stdlog "log"
	"os"

	"k8s.io/gengo/v2"
)

// main is upstream's.
func main() {
	if err := gengo.Execute(nil, "", nil, gengo.StdBuildTag, nil); err != nil {
		stdlog.Fatalf("Error: %v", err)
	}
	fmt.Println(os.Args)
	os.Exit(0)
}
`
	const want = `// Words above.
package xgen

import crdctlhost "crdctl.dev/engine/host"

import (
	"fmt"
	stdlog "log"
	"os"

	"k8s.io/gengo/v2"
)

// main is upstream's.
func Main() {
	if err := crdctlhost.Execute(nil, "", nil, gengo.StdBuildTag, nil); err != nil {
		crdctlhost.Fatalf("Error: %v", err)
	}
	fmt.Println(os.Args)
	crdctlhost.Exit(0)
}

var _ = gengo.Execute

var _ = os.Exit

var _ = stdlog.Fatalf
`
	got, err := adaptFile("main.go", []byte(src), "xgen", replaced)
	require.NoError(t, err)
	assert.Equal(t, want, string(got))
}

// Of what lies in the cache for long, only engines make room.
func TestIdleEngines(t *testing.T) {
	cache := t.TempDir()
	long := time.Now().Add(-2 * idle)
	k := codeGenerator.key("v0.35.2", "go1.26.0")
	for _, name := range []string{k.name, "notes", "v0.35.2"} {
		dir := filepath.Join(cache, name)
		require.NoError(t, errors.Join(os.Mkdir(dir, 0o700), os.Chtimes(dir, long, long)))
	}
	d, err := newScratch(cache)
	require.NoError(t, err)
	require.NoError(t, d.Remove())
	var left []string
	entries, err := os.ReadDir(cache)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"notes", "v0.35.2"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left %v, want %v (%v)", left, want, err)
	}
}

// A newer gengo than upstream's is chosen, as in a build in the project's module, and an older one is not.
func TestGengoIsAtLeast(t *testing.T) {
	const older, upstream, newer = "v2.0.0-20250604051438-85fd79dbfd9f", "v2.0.0-20250922181213-ec3ebc5fd46b", "v2.0.0-20260408192533-25e2208e0dc3"
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\nrequire k8s.io/gengo/v2 "+upstream+"\n"), 0o600))
	for asked, want := range map[string]string{"": upstream, older: upstream, newer: newer} {
		content, _, err := goModOf(dir, openAPIModule, "v0.0.0-20260520065146-aa012df4f4af", asked)
		require.NoError(t, err)
		assert.Contains(t, string(content), "k8s.io/gengo/v2 "+want+"\n")
	}
}
