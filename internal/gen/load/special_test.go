//go:build unix

package load

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
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
		if err := safefstest.Within(t, func() error { _, err := NewEnv(t.Context(), below); return err }); !errors.Is(err, safefs.ErrSpecial) {
			t.Errorf("%s: %v, want ErrSpecial", name, err)
		}
	}
}
