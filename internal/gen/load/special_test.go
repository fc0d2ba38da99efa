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

// A file for which the go command would wait is an error before that is started.
func TestModuleFilesThatAreNone(t *testing.T) {
	t.Setenv("GOWORK", "")
	for _, name := range []string{
		"go.mod", "go.sum", "vendor/modules.txt", "../go.work", "../go.work.sum", "../vendor/modules.txt", "../replaced/go.mod", "../moved/go.mod", "../used/go.mod", "../used/go.sum",
	} {
		root := t.TempDir()
		module := filepath.Join(root, "module")
		special := filepath.Join(module, filepath.FromSlash(name))
		for path, content := range map[string]string{
			filepath.Join(module, "go.mod"): "module example.com/m\n\nreplace example.com/r => ../replaced\n",
			filepath.Join(root, "go.work"):  "use (\n\t./module\n\t./used\n)\n\nreplace example.com/o => ./moved\n",
			special:                         "",
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if path == special {
				continue
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(special, 0o600); err != nil {
			t.Fatal(err)
		}
		below := filepath.Join(module, "below")
		if err := os.Mkdir(below, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := safefstest.Within(t, func() error { _, err := NewEnv(t.Context(), below); return err }); !errors.Is(err, safefs.ErrSpecial) {
			t.Errorf("%s: %v, want ErrSpecial", name, err)
		}
	}
}
