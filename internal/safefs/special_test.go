//go:build unix

package safefs

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// specialFiles returns a directory with a FIFO, which blocks who opens it until another process does, and a socket.
func specialFiles(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	safefstest.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	safefstest.Must(t, syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600))
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	safefstest.Must(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	return dir
}

// Neither a FIFO nor a socket is opened.
func TestSpecialFilesDoNotBlock(t *testing.T) {
	dir := specialFiles(t)
	d, err := Anchor(dir, Self())
	safefstest.Must(t, err)
	defer func() { _ = d.Close() }()
	safefstest.Must(t, safefstest.Within(t, func() error {
		for _, name := range []string{"fifo", "socket"} {
			for what, err := range map[string]error{"read": second(d.Read(name, 1)), "write": d.Write(name, nil), "lock": second(d.Lock(name)), "locked": second(d.Locked(name))} {
				if !errors.Is(err, ErrSpecial) {
					t.Errorf("%s %s: %v, want ErrSpecial", what, name, err)
				}
			}
			for what, err := range map[string]error{"sub": second(d.Sub(name)), "anchor": second(Anchor(filepath.Join(dir, name), Self()))} {
				if !errors.Is(err, syscall.ENOTDIR) {
					t.Errorf("%s %s: %v, want ENOTDIR", what, name, err)
				}
			}
		}
		return nil
	}))
}

func TestReadFileRefusesSpecialFiles(t *testing.T) {
	dir := specialFiles(t)
	root, err := os.OpenRoot(dir)
	safefstest.Must(t, err)
	defer func() { _ = root.Close() }()
	for name, to := range map[string]string{"link": "fifo", "zero": "/dev/zero", "null": os.DevNull} {
		safefstest.Must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	safefstest.Must(t, safefstest.Within(t, func() error {
		for _, name := range []string{"fifo", "link", "socket"} {
			if _, err := ReadFile(filepath.Join(dir, name), 1); !errors.Is(err, ErrSpecial) {
				t.Errorf("%s: %v, want ErrSpecial", name, err)
			}
			if _, err := ReadFileIn(root, name, 1); !errors.Is(err, ErrSpecial) {
				t.Errorf("%s in its directory: %v, want ErrSpecial", name, err)
			}
		}
		if _, err := ReadFile(filepath.Join(dir, "zero"), 1); !errors.Is(err, ErrSpecial) {
			t.Errorf("/dev/zero: %v, want ErrSpecial", err)
		}
		if data, err := ReadFile(filepath.Join(dir, "null"), 1); err != nil || data == nil || len(data) > 0 {
			t.Errorf("the null device: %q, %v", data, err)
		}
		if _, err := ReadNamed("/dev/zero", 1000); !errors.Is(err, ErrTooBig) {
			t.Errorf("/dev/zero on the command line: %v, want ErrTooBig", err)
		}
		return nil
	}))
}
