package safefs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file, link, empty := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "empty")
	for name, content := range map[string]string{file: "four", empty: ""} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, link} {
		if data, err := ReadFile(name, 4); err != nil || string(data) != "four" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		if _, err := ReadFile(name, 3); !errors.Is(err, ErrTooBig) {
			t.Errorf("%s of more than the limit: %v, want ErrTooBig", name, err)
		}
	}
	if data, err := ReadFile(empty, 4); err != nil || data == nil || len(data) > 0 { // nil is for files that do not exist
		t.Errorf("an empty file: %#v, %v", data, err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := ReadFile(dir, 4); !errors.Is(err, syscall.EISDIR) {
		t.Errorf("a directory: %v", err)
	}
}
