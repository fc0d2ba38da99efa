//go:build unix

package cache

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A FIFO in place of an entry counts as none and does not block, and a link is not followed. Both are replaced by the next Put.
func TestGetOfWhatIsNoFile(t *testing.T) {
	s := At(t.TempDir(), 1<<20)
	if err := s.Put(key("linked"), "value"); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.Rename(s.path(key("linked")), outside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, s.path(key("linked"))); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(s.path(key("fifo")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"linked", "fifo"} {
		done := make(chan bool, 1)
		go func() {
			var got string
			done <- s.Get(key(name), &got)
		}()
		select {
		case found := <-done:
			if found {
				t.Errorf("%s: an entry", name)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: blocked", name)
		}
		if err := s.Put(key(name), "new"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got string
		if !s.Get(key(name), &got) || got != "new" {
			t.Errorf("%s: got %q after it was put", name, got)
		}
	}
}
