// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func key(s string) Key {
	h := NewHash("test")
	h.Add(s)
	return h.Key()
}

// path is the file of an entry.
func (s *Store) path(k Key) string {
	dir, err := s.open(true)
	if err != nil {
		return ""
	}
	defer func() { _ = dir.Close() }()
	return dir.Join(k.file())
}

func TestGet(t *testing.T) {
	s := At(t.TempDir(), 1<<20)
	var got string
	require.False(t, s.Get(key("a"), &got), "an empty store has an entry")
	require.NoError(t, s.Put(key("a"), "value"))
	require.True(t, s.Get(key("a"), &got))
	require.Equal(t, "value", got)
}

// An entry that is not what was written is none.
func TestGetTrustsNothing(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)-1] },
		"empty":   func([]byte) []byte { return nil },
		"changed": func(b []byte) []byte { b[len(b)-2] ^= 1; return b },
		"foreign": func([]byte) []byte {
			return []byte("something else that is longer than the sums at the front are, all told, by far")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := At(t.TempDir(), 1<<20)
			require.NoError(t, s.Put(key("a"), "value"))
			data, err := os.ReadFile(s.path(key("a")))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(s.path(key("a")), spoil(data), 0o600))
			var got string
			assert.False(t, s.Get(key("a"), &got), "got %q from a spoilt entry", got)
		})
	}
	t.Run("under another's name", func(t *testing.T) {
		s := At(t.TempDir(), 1<<20)
		require.NoError(t, s.Put(key("a"), "value"))
		require.NoError(t, os.Rename(s.path(key("a")), s.path(key("b"))))
		var got string
		assert.False(t, s.Get(key("b"), &got), "got %q, which is another's", got)
	})
}

func TestBounded(t *testing.T) {
	dir := t.TempDir()
	s := At(dir, 3000)
	for i, name := range []string{"a", "b", "c"} {
		require.NoError(t, s.Put(key(name), string(make([]byte, 1000))))
		at := time.Now().Add(time.Duration(i-10) * time.Minute)
		require.NoError(t, os.Chtimes(s.path(key(name)), at, at))
	}
	opened, err := s.open(false)
	require.NoError(t, err)
	defer func() { _ = opened.Close() }()
	require.NoError(t, s.trim(opened))
	var got string
	if s.Get(key("a"), &got) || !s.Get(key("b"), &got) || !s.Get(key("c"), &got) {
		t.Error("the oldest entry is not the one that went")
	}
	left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	require.NoError(t, err, "left over")
	assert.Empty(t, left, "left over")
}

// The directory is looked through once in a minute, and sooner after much was written.
func TestTrimDue(t *testing.T) {
	s := At(t.TempDir(), 16000)
	dir, err := s.open(true)
	require.NoError(t, err)
	defer func() { _ = dir.Close() }()
	due := func(size int64) bool {
		t.Helper()
		due, err := s.trimDue(dir, size)
		require.NoError(t, err)
		return due
	}
	assert.True(t, due(1), "never trimmed")
	assert.False(t, due(1), "just trimmed")
	assert.True(t, due(1000), "a sixteenth of what it may hold")
	assert.False(t, due(1), "just trimmed")
	for _, at := range []time.Duration{-2 * time.Minute, time.Hour} { // the latter by another clock
		then := time.Now().Add(at)
		require.NoError(t, os.Chtimes(dir.Join(trimmed), then, then))
		assert.True(t, due(1), "trimmed %s from now", at)
	}
}

func TestHashKeepsStringsApart(t *testing.T) {
	a, b := NewHash("x"), NewHash("x")
	a.Add("ab", "c")
	b.Add("a", "bc")
	if a.Key() == b.Key() {
		t.Error("ab c is a bc")
	}
}
