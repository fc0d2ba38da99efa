// SPDX-License-Identifier: Apache-2.0

package load_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// What cannot be loaded is an error that names the packages that need it, directly or not, whichever finder there is.
func TestLost(t *testing.T) {
	dir := written(t, map[string]string{
		"go.mod":      "module example.com/m\n\ngo 1.24\n",
		"a/a.go":      "package a\n\nimport \"example.com/m/b\"\n\ntype A struct{ B b.B }\n",
		"b/b.go":      "package b\n\nimport \"example.com/m/missing\"\n\ntype B struct{ M missing.M }\n",
		"c/c.go":      "package c\n\ntype C struct{}\n",
		"d/d.go":      "package d\n\nimport \"example.com/m/broken\"\n\ntype D struct{ B broken.B }\n",
		"e/e.go":      "package e\n\nimport \"example.com/m/f\"\n\ntype E struct{ F *f.F }\n",
		"f/f.go":      "package f\n\nimport \"example.com/m/e\"\n\ntype F struct{ E *e.E }\n",
		"g/g.go":      "package g\n\nimport \"example.com/m/e\"\n\ntype G struct{ E e.E }\n",
		"broken/b.go": "package broken\n\ntype B struct {\n",
	})
	env, err := load.NewEnv(t.Context(), dir)
	require.NoError(t, err)
	const a, b, c, d = "example.com/m/a", "example.com/m/b", "example.com/m/c", "example.com/m/d"
	const e, f, g = "example.com/m/e", "example.com/m/f", "example.com/m/g"
	lost := func(find load.Finder, paths ...string) load.LostErrors {
		_, err := load.Declared(t.Context(), find, paths, nil)
		lost, ok := errors.AsType[load.LostErrors](err)
		require.True(t, ok, "%v", err)
		return lost
	}
	for _, find := range []load.Finder{env, load.NewListed(dir)} {
		got := lost(find, a, b, c)
		require.Len(t, got, 1)
		assert.Equal(t, "example.com/m/missing", got[0].Path)
		assert.Equal(t, []string{a, b}, got[0].Roots)
		assert.ErrorContains(t, got, filepath.Join(dir, "b", "b.go")+":3:8: example.com/m/missing: ")
		assert.Empty(t, got.Syntax())

		pkgs, err := load.Declared(t.Context(), find, []string{c}, nil)
		require.NoError(t, err)
		assert.Len(t, pkgs, 1)
	}
	_, err = load.Declared(t.Context(), env, []string{c, e, f, g}, nil)
	ring, ok := errors.AsType[load.LostErrors](err)
	require.True(t, ok, "%v", err)
	require.Len(t, ring, 1)
	assert.Equal(t, []string{e, f, g}, ring[0].Roots)
	assert.EqualError(t, ring, "import cycle not allowed:\n"+filepath.Join(dir, "e", "e.go")+":3:8: "+e+" imports "+f+"\n"+filepath.Join(dir, "f", "f.go")+":3:8: "+f+" imports "+e)

	got := lost(env, b, d)
	require.Len(t, got, 2)
	require.ErrorIs(t, got, load.ErrUnsupported)
	syntax := got.Syntax()
	require.Len(t, syntax, 1)
	require.NotErrorIs(t, syntax, load.ErrUnsupported)
	assert.Equal(t, []string{d}, syntax[0].Roots)
	assert.EqualError(t, syntax, filepath.Join(dir, "broken", "b.go")+":3:17: expected '}', found 'EOF'")
}

// TestListedElsewhere covers a package that the go command does not find: package packages gives it the file that imports it.
func TestListedElsewhere(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	dir := written(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n\nrequire example.com/none v1.0.0\n",
		"a/a.go": "package a\n\nimport (\n\t\"example.com/m/b\"\n\t\"example.com/none\"\n)\n\ntype A struct {\n\tnone.T\n\tB b.B\n}\n",
		"b/b.go": "package b\n\nimport \"example.com/m/c\"\n\ntype B struct{ C c.C }\n",
		"c/c.go": "package c\n\nimport \"example.com/none\"\n\ntype C struct{ none.T }\n",
	})
	_, err := load.Declared(t.Context(), load.NewListed(dir), []string{"example.com/m/a"}, nil)
	lost, ok := errors.AsType[load.LostErrors](err)
	require.True(t, ok, "%v", err)
	require.Len(t, lost, 1)
	assert.Equal(t, "example.com/none", lost[0].Path)
}

// written is a new directory with files, by their paths.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}
