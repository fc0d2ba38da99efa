//go:build unix

package safefs

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Neither a FIFO, which blocks who opens it until another process does, nor a socket is opened.
func TestSpecialFilesDoNotBlock(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d, err := Anchor(dir, Self())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range []string{"fifo", "socket"} {
			for what, err := range map[string]error{"read": second(d.Read(name, 1)), "write": d.Write(name, nil), "lock": second(d.Lock(name)), "locked": second(d.Locked(name))} {
				if !errors.Is(err, ErrSpecial) {
					t.Errorf("%s %s: %v, want ErrSpecial", what, name, err)
				}
			}
			if _, err := d.Sub(name); !errors.Is(err, syscall.ENOTDIR) {
				t.Errorf("sub %s: %v, want ENOTDIR", name, err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
}

func TestReadFileRefusesSpecialFiles(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	for name, to := range map[string]string{"link": "fifo", "zero": "/dev/zero", "null": os.DevNull} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
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
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
}

func TestAnchorOfAFIFO(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- second(Anchor(fifo, Self())) }()
	select {
	case err := <-done:
		if !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("%v, want ENOTDIR", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("blocked")
	}
}
