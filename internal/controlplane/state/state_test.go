package state

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAcquireAndRelease(t *testing.T) {
	root := t.TempDir()
	d, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(root); !errors.Is(err, ErrRunning) {
		t.Errorf("a second one: %v, want ErrRunning", err)
	}
	if info, err := os.Stat(filepath.Join(root, Name)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v; want mode 0700", info.Mode(), err)
	}
	if err := d.Release(); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(root); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	again, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Release(); err != nil {
		t.Fatal(err)
	}
}

// A run that was killed leaves the folder; the next one takes it over.
func TestAcquireAfterAKill(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, Name), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"lock", "kubeconfig"} {
		if err := os.WriteFile(filepath.Join(root, Name, f), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(root, Name)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v; want mode 0700", info.Mode(), err)
	}
	if err := d.Release(); err != nil {
		t.Fatal(err)
	}
}
