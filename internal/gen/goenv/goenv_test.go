// SPDX-License-Identifier: Apache-2.0

package goenv

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// TestMain is the go command of these tests where asked is set: it notes each question in that file, and says that its GOROOT is goroot.
func TestMain(m *testing.M) {
	if os.Getenv(asked) == "" {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(os.Getenv(asked), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString("?")
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(map[string]string{"GOROOT": os.Getenv(goroot), "GOFLAGS": os.Getenv("GOFLAGS")})
	}
	if err != nil {
		panic(err)
	}
}

const (
	asked  = "CRDCTL_TEST_ASKED"
	goroot = "CRDCTL_TEST_GOROOT"
)

func TestVars(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	root, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	write := func(file string, content []byte) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, content, 0o755))
	}
	write(filepath.Join(root, "bin", "go"+exe()), program)
	settings := filepath.Join(t.TempDir(), "env")
	log := filepath.Join(t.TempDir(), "asked")
	t.Setenv("PATH", filepath.Join(root, "bin"))
	t.Setenv(asked, log)
	t.Setenv(goroot, root)
	t.Setenv("GOENV", settings)
	ctx := load.WithMemory(t.Context(), New(cache.At(t.TempDir(), 1<<20), dir))
	count := func(environ ...string) int {
		t.Helper()
		before, _ := os.ReadFile(log)
		vars, err := load.Vars(ctx, dir, append(os.Environ(), environ...))
		require.NoError(t, err)
		require.NotEmpty(t, vars["GOROOT"])
		after, err := os.ReadFile(log)
		require.NoError(t, err)
		return len(after) - len(before)
	}
	for _, step := range []struct {
		name   string
		change func()
	}{
		{"at first", func() {}},
		{"a go.mod", func() { write(filepath.Join(dir, "go.mod"), []byte("module m\n")) }},
		{"its content", func() { write(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.30\n")) }},
		{"a workspace above", func() { write(filepath.Join(filepath.Dir(dir), "go.work"), []byte("go 1.30\n")) }},
		{"go env -w", func() { write(settings, []byte("GOFLAGS=-mod=mod\n")) }},
		{"the defaults of that Go", func() { write(filepath.Join(root, "go.env"), []byte("GOTOOLCHAIN=local\n")) }},
		{"a C compiler", func() { write(filepath.Join(root, "bin", "gcc"+exe()), nil) }},
		{"another go command", func() { write(filepath.Join(root, "bin", "go"+exe()), append(program, 0)) }},
	} {
		step.change()
		assert.Equal(t, 1, count(), step.name)
		assert.Equal(t, 0, count("PWD=/", "SHLVL=9"), step.name)
	}
	assert.Equal(t, 1, count("GOFLAGS=-mod=vendor"))
	assert.Equal(t, 0, count("GOFLAGS=-mod=vendor"))
	t.Setenv(goroot, t.TempDir())
	assert.Equal(t, 1, count(), "another toolchain")
	assert.Equal(t, 1, count(), "another toolchain")
}

func TestHolds(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "modules.txt")
	m := New(cache.At(t.TempDir(), 1<<20), dir)
	_, err := load.Vars(load.WithMemory(t.Context(), m), dir, os.Environ())
	require.NoError(t, err)
	runs := 0
	check := func(err error) error {
		return m.Holds(dir, os.Environ(), []string{file}, func() error {
			runs++
			return err
		})
	}
	require.EqualError(t, check(errors.New("inconsistent")), "inconsistent")
	require.NoError(t, check(nil))
	require.NoError(t, check(errors.New("not asked")))
	assert.Equal(t, 2, runs)
	require.NoError(t, os.WriteFile(file, []byte(strings.Repeat("# m v1\n", 2)), 0o600))
	require.EqualError(t, check(errors.New("inconsistent")), "inconsistent")
}

// Headers are read once in a build, and known to later runs in the same project.
func TestHeaders(t *testing.T) {
	store := cache.At(t.TempDir(), 1<<20)
	reads := 0
	ask := func(m *Memory, build, dir string, err error) *load.Header {
		h, got := m.Header(build, dir, func() (*load.Header, error) {
			reads++
			return &load.Header{Name: build, Files: []string{dir}}, err
		})
		assert.Equal(t, err, got)
		return h
	}
	first := New(store, "/root")
	ask(first, "a", "dir", errors.New("no Go files"))
	want := ask(first, "a", "dir", nil)
	assert.Equal(t, want, ask(first, "a", "dir", nil))
	ask(first, "b", "dir", nil)
	assert.Equal(t, 3, reads)
	require.NoError(t, first.Save())
	assert.Equal(t, want, ask(New(store, "/root"), "a", "dir", nil))
	assert.Equal(t, 3, reads)
	ask(New(store, "/other"), "a", "dir", nil)
	assert.Equal(t, 4, reads)
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
