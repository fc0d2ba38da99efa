//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/tempdir"
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
		if err := safefstest.Within(t, func() error { return Check(below) }); !errors.Is(err, safefs.ErrSpecial) {
			t.Errorf("%s: %v, want ErrSpecial", name, err)
		}
	}
}

// In a temporary directory of crdctl's, where any user may put a go.work above, none counts but its own.
func TestIgnored(t *testing.T) {
	t.Setenv("GOWORK", "")
	tmp := t.TempDir()
	run := filepath.Join(tmp, tempdir.RunPrefix+"1")
	module := filepath.Join(run, "module")
	if err := os.MkdirAll(module, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(tmp, "go.work"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := safefstest.Within(t, func() error { return Check(module) }); err != nil || !Ignored(module) {
		t.Errorf("ignored %v, error %v", Ignored(module), err)
	}
	if Ignored(tmp) {
		t.Error("ignored outside of the directories of runs")
	}
	if err := os.WriteFile(filepath.Join(run, "go.work"), []byte("use ./module\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if Ignored(module) {
		t.Error("its own is ignored")
	}
}
