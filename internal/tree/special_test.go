//go:build unix

package tree

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A FIFO in place of a file of the tree is named, and not waited for.
func TestDiffOfWhatIsNoFile(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, "a.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	generated := New()
	if err := generated.Add("a.txt", []byte("a")); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := generated.Diff(root)
		if paths := generated.InTheWay(root); len(paths) != 1 {
			t.Errorf("in the way: %q", paths)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.HasPrefix(err.Error(), "a.txt is not a regular file") {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
}
