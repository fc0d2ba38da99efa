package cache

import (
	"os"
	"path/filepath"
	"testing"
	"time"
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
	if s.Get(key("a"), &got) {
		t.Fatal("an empty store has an entry")
	}
	if err := s.Put(key("a"), "value"); err != nil {
		t.Fatal(err)
	}
	if !s.Get(key("a"), &got) || got != "value" {
		t.Fatalf("got %q", got)
	}
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
			if err := s.Put(key("a"), "value"); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(s.path(key("a")))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(s.path(key("a")), spoil(data), 0o600); err != nil {
				t.Fatal(err)
			}
			var got string
			if s.Get(key("a"), &got) {
				t.Errorf("got %q from a spoilt entry", got)
			}
		})
	}
	t.Run("under another's name", func(t *testing.T) {
		s := At(t.TempDir(), 1<<20)
		if err := s.Put(key("a"), "value"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(s.path(key("a")), s.path(key("b"))); err != nil {
			t.Fatal(err)
		}
		var got string
		if s.Get(key("b"), &got) {
			t.Errorf("got %q, which is another's", got)
		}
	})
}

func TestBounded(t *testing.T) {
	dir := t.TempDir()
	s := At(dir, 3000)
	for i, name := range []string{"a", "b", "c"} {
		if err := s.Put(key(name), string(make([]byte, 1000))); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(s.path(key(name)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := s.open(false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	if err := s.trim(opened); err != nil {
		t.Fatal(err)
	}
	var got string
	if s.Get(key("a"), &got) || !s.Get(key("b"), &got) || !s.Get(key("c"), &got) {
		t.Error("the oldest entry is not the one that went")
	}
	left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v %v", left, err)
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
