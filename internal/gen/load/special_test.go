//go:build unix

package load

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/safefs"
)

// A go.mod or go.work above, for which the go command would wait, is an error before that is started.
func TestModuleFilesThatAreNone(t *testing.T) {
	t.Setenv("GOWORK", "")
	for _, name := range []string{"go.mod", "go.work"} {
		root := t.TempDir()
		below := filepath.Join(root, "below")
		if err := errors.Join(os.Mkdir(below, 0o700), syscall.Mkfifo(filepath.Join(root, name), 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := within(t, func() error { _, err := NewEnv(t.Context(), below); return err }); !errors.Is(err, safefs.ErrSpecial) {
			t.Errorf("%s: %v, want ErrSpecial", name, err)
		}
	}
}

// within calls a function that must not wait for a FIFO.
func within(t *testing.T, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
		return nil
	}
}
