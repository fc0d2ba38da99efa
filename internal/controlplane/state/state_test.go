package state

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func TestAcquireAndRelease(t *testing.T) {
	root := t.TempDir()
	d, err := Open(root)
	safefstest.Must(t, err)
	if _, err := Open(root); !errors.Is(err, ErrRunning) {
		t.Errorf("a second one: %v, want ErrRunning", err)
	}
	if info, err := os.Stat(filepath.Join(root, Name)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v; want mode 0700", info.Mode(), err)
	}
	safefstest.Must(t, d.Release())
	if entries, _ := os.ReadDir(root); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	again, err := Open(root)
	safefstest.Must(t, err)
	safefstest.Must(t, again.Release())
}

// A run that was killed leaves the folder; the next one takes it over.
func TestAcquireAfterAKill(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, filepath.Join(root, Name), map[string]string{"lock": "old", "kubeconfig": "old"})
	d, err := Open(root)
	safefstest.Must(t, err)
	if info, err := os.Stat(filepath.Join(root, Name)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v; want mode 0700", info.Mode(), err)
	}
	safefstest.Must(t, d.Release())
}
