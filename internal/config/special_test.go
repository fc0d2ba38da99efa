//go:build unix

package config

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func TestLoadOfWhatIsNoFile(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, FileName)
	load := func() error {
		_, err := Load(root)
		return err
	}
	for name, place := range map[string]func() error{
		"FIFO":             func() error { return syscall.Mkfifo(file, 0o600) },
		"device by a link": func() error { return os.Symlink("/dev/zero", file) },
	} {
		safefstest.Must(t, place())
		if err := safefstest.Within(t, load); !errors.Is(err, safefs.ErrSpecial) {
			t.Errorf("%s: %v, want ErrSpecial", name, err)
		}
		safefstest.Must(t, os.Remove(file))
	}
	safefstest.Must(t, os.WriteFile(file, nil, 0o600))
	safefstest.Must(t, os.Truncate(file, maxSize+1))
	if err := load(); !errors.Is(err, safefs.ErrTooBig) {
		t.Errorf("%v, want ErrTooBig", err)
	}
}
