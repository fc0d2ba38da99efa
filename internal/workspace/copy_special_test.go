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
)

// A go.work that the go command would wait for is an error, unless workspaces are turned off.
func TestWorkspaceThatIsNoFile(t *testing.T) {
	root := t.TempDir()
	module := filepath.Join(root, "module")
	if err := errors.Join(os.Mkdir(module, 0o700), syscall.Mkfifo(filepath.Join(root, "go.work"), 0o600)); err != nil {
		t.Fatal(err)
	}
	above := func() error {
		_, _, err := AboveWorkspace(module)
		return err
	}
	t.Setenv("GOWORK", "")
	if err := safefstest.Within(t, above); !errors.Is(err, safefs.ErrSpecial) {
		t.Errorf("%v, want ErrSpecial", err)
	}
	t.Setenv("GOWORK", "off")
	if err := safefstest.Within(t, above); err != nil {
		t.Error(err)
	}
}
