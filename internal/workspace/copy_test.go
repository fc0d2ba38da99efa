package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
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
	require.NoError(t, err)
	build := exec.CommandContext(t.Context(), "go", "build", "./...")
	build.Dir = s.Module
	build.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	_, err = os.Stat(filepath.Join(s.Module, ".git"))
	assert.Error(t, err, "the folder of git was copied")
	// What the go command writes in place does not reach the original.
	safefstest.WriteFiles(t, s.Module, map[string]string{"go.mod": "changed"})
	if data, err := os.ReadFile(filepath.Join(dir, "app", "go.mod")); err != nil || string(data) == "changed" {
		t.Errorf("go.mod of the original changed (%v)", err)
	}
	assert.NoError(t, s.Remove())
	_, err = os.Stat(s.Module)
	assert.Error(t, err, "the copy is still there")
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("modul x\n"), 0o644))
	_, err := Copy(dir)
	assert.ErrorContains(t, err, "go.mod:1")
	_, err = Copy(filepath.Join(dir, "none"))
	assert.Error(t, err, "no error for a folder that is not there")
}
