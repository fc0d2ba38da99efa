//go:build unix

package tree

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A FIFO in place of a file of the tree is named, and not waited for.
func TestDiffOfWhatIsNoFile(t *testing.T) {
	root := t.TempDir()
	safefstest.Must(t, syscall.Mkfifo(filepath.Join(root, "a.txt"), 0o600))
	generated := New()
	safefstest.Must(t, generated.Add("a.txt", []byte("a")))
	err := safefstest.Within(t, func() error {
		if paths := generated.InTheWay(root); len(paths) != 1 {
			t.Errorf("in the way: %q", paths)
		}
		_, err := generated.Diff(root)
		return err
	})
	if err == nil || !strings.HasPrefix(err.Error(), "a.txt is not a regular file") {
		t.Error(err)
	}
}
