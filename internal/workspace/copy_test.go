package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

const testWorkspace = `
-- go.work --
go 1.26.0

use (
	./app
	./lib
)
-- app/go.mod --
module example.com/app

go 1.26.0

require example.com/other v0.0.0

replace example.com/other => ../other
-- app/app.go --
package app

import (
	_ "example.com/app/sub"
	_ "example.com/lib"
	_ "example.com/other"
)
-- app/sub/sub.go --
package sub
-- app/.git/config --
not copied
-- lib/go.mod --
module example.com/lib

go 1.26.0
-- lib/lib.go --
package lib
-- other/go.mod --
module example.com/other

go 1.26.0
-- other/other.go --
package other
`

// A copy builds as the original does, which it leaves alone.
func TestCopyBuilds(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(testWorkspace)).Files {
		safefstest.WriteFiles(t, dir, map[string]string{f.Name: string(f.Data)})
	}
	s, err := Copy(filepath.Join(dir, "app"))
	safefstest.Must(t, err)
	build := exec.CommandContext(t.Context(), "go", "build", "./...")
	build.Dir = s.Module
	build.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(s.Module, ".git")); err == nil {
		t.Error("the folder of git was copied")
	}
	// What the go command writes in place does not reach the original.
	safefstest.WriteFiles(t, s.Module, map[string]string{"go.mod": "changed"})
	if data, err := os.ReadFile(filepath.Join(dir, "app", "go.mod")); err != nil || string(data) == "changed" {
		t.Errorf("go.mod of the original changed (%v)", err)
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.Module); err == nil {
		t.Error("the copy is still there")
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	safefstest.Must(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("modul x\n"), 0o644))
	if _, err := Copy(dir); err == nil || !strings.Contains(err.Error(), "go.mod:1") {
		t.Errorf("error %v", err)
	}
	if _, err := Copy(filepath.Join(dir, "none")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
