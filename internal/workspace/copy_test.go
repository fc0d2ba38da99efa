// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A copy builds as the original does, which it leaves alone.
func TestCopyBuilds(t *testing.T) {
	dir := t.TempDir()
	files, err := txtar.ParseFile("testdata/workspace.txtar")
	require.NoError(t, err)
	for _, f := range files.Files {
		safefstest.WriteFiles(t, dir, map[string]string{f.Name: string(f.Data)})
	}
	s, err := Copy(filepath.Join(dir, "app"))
	require.NoError(t, err)
	build := exec.CommandContext(t.Context(), "go", "build", "./...")
	build.Dir = s.Module
	build.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=")
	out, err := build.CombinedOutput()
	assert.NoError(t, err, string(out))
	assert.NoDirExists(t, filepath.Join(s.Module, ".git"))
	// What the go command writes in place does not reach the original.
	safefstest.WriteFiles(t, s.Module, map[string]string{"go.mod": "changed"})
	assert.NotEqual(t, "changed", safefstest.Read(t, filepath.Join(dir, "app", "go.mod")))
	assert.NoError(t, s.Remove())
	assert.NoDirExists(t, s.Module)
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("modul x\n"), 0o644))
	_, err := Copy(dir)
	assert.ErrorContains(t, err, "go.mod:1")
	_, err = Copy(filepath.Join(dir, "none"))
	assert.Error(t, err, "no error for a directory that is not there")
}
