// SPDX-License-Identifier: Apache-2.0

package state

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A run has the directory to itself. What it says about itself is there while it runs, and nothing afterwards.
func TestOpenAndRelease(t *testing.T) {
	root := t.TempDir()
	isRunning(t, root, false)
	for range 2 {
		d, err := Open(root)
		require.NoError(t, err)
		_, err = Open(root)
		assert.ErrorIs(t, err, ErrRunning, "a second one")
		safefstest.IsPrivate(t, filepath.Join(root, Name))
		require.NoError(t, d.WriteRecord([]byte("pid 1")))
		isRunning(t, root, true)
		content, err := Record(root)
		require.NoError(t, err)
		assert.Equal(t, "pid 1", string(content))
		assert.ErrorIs(t, WriteKubeconfig(root, []byte("x")), fs.ErrNotExist, "there is no kubeconfig")
		require.NoError(t, d.Release())
		_, err = Record(root)
		assert.ErrorIs(t, err, fs.ErrNotExist, "after the release")
		entries, err := os.ReadDir(root)
		require.NoError(t, err)
		assert.Empty(t, entries)
	}
}

func isRunning(t *testing.T, root string, want bool) {
	t.Helper()
	running, err := Running(root)
	require.NoError(t, err)
	assert.Equal(t, want, running)
}

// A run that was killed leaves the directory; the next one takes it over.
func TestOpenAfterAKill(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteAll(t, filepath.Join(root, Name), "old", "lock", "kubeconfig")
	d, err := Open(root)
	require.NoError(t, err)
	safefstest.IsPrivate(t, filepath.Join(root, Name))
	require.NoError(t, d.Release())
}

// The directory of a controller that the user starts has one path, and nothing in it of an earlier run that was killed or of the repository.
func TestMakeController(t *testing.T) {
	root := t.TempDir()
	left := filepath.Join(root, Name, controllerName)
	outside := t.TempDir()
	require.NoError(t, os.MkdirAll(left, 0o700))
	require.NoError(t, os.Symlink(outside, filepath.Join(left, "webhook-certs")))
	d, err := Open(root)
	require.NoError(t, err)
	dir, err := d.MakeController()
	require.NoError(t, err)
	assert.Equal(t, left, dir)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tls.key"), nil, 0o600))
	require.NoError(t, d.Release())
	assert.NoDirExists(t, filepath.Join(root, Name))
	assert.DirExists(t, outside)
}
