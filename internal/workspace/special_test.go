// SPDX-License-Identifier: Apache-2.0

//go:build unix

package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		below := filepath.Join(module, "below")
		safefstest.WriteFiles(t, root, map[string]string{
			"module/go.mod":  "module example.com/m\n\nreplace example.com/r => ../replaced\n",
			"go.work":        "use (\n\t./module\n\t./used\n)\n\nreplace example.com/o => ./moved\n",
			"module/below/x": "",
		})
		require.NoError(t, os.MkdirAll(filepath.Dir(special), 0o700))
		require.NoError(t, os.RemoveAll(special))
		require.NoError(t, syscall.Mkfifo(special, 0o600))
		assert.ErrorIs(t, safefstest.Within(t, func() error { return Check(below) }), safefs.ErrSpecial, name)
	}
}

// In a temporary directory of crdctl's, where any user may put a go.work above, none counts but its own.
func TestIgnored(t *testing.T) {
	t.Setenv("GOWORK", "")
	tmp := t.TempDir()
	run := filepath.Join(tmp, tempdir.RunPrefix+"1")
	module := filepath.Join(run, "module")
	require.NoError(t, os.MkdirAll(module, 0o700))
	require.NoError(t, syscall.Mkfifo(filepath.Join(tmp, "go.work"), 0o600))
	assert.NoError(t, safefstest.Within(t, func() error { return Check(module) }))
	assert.True(t, Ignored(module))
	assert.False(t, Ignored(tmp), "ignored outside of the directories of runs")
	require.NoError(t, os.WriteFile(filepath.Join(run, "go.work"), []byte("use ./module\n"), 0o600))
	assert.False(t, Ignored(module), "its own is ignored")
}

// A go.work that the go command would wait for is an error, unless workspaces are turned off.
func TestWorkspaceThatIsNoFile(t *testing.T) {
	root := t.TempDir()
	module := filepath.Join(root, "module")
	require.NoError(t, errors.Join(os.Mkdir(module, 0o700), syscall.Mkfifo(filepath.Join(root, "go.work"), 0o600)))
	above := func() error {
		_, _, err := AboveWorkspace(module)
		return err
	}
	t.Setenv("GOWORK", "")
	assert.ErrorIs(t, safefstest.Within(t, above), safefs.ErrSpecial)
	t.Setenv("GOWORK", "off")
	assert.NoError(t, safefstest.Within(t, above))
}
