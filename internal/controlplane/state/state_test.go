package state

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAcquireAndRelease(t *testing.T) {
	root := t.TempDir()
	d, err := Open(root)
	require.NoError(t, err)
	_, err = Open(root)
	assert.ErrorIs(t, err, ErrRunning, "a second one")
	if info, err := os.Stat(filepath.Join(root, Name)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v; want mode 0700", info.Mode(), err)
	}
	require.NoError(t, d.Release())
	entries, _ := os.ReadDir(root)
	assert.Empty(t, entries, "left behind")
	again, err := Open(root)
	require.NoError(t, err)
	require.NoError(t, again.Release())
}

// A run that was killed leaves the folder; the next one takes it over.
func TestAcquireAfterAKill(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, filepath.Join(root, Name), map[string]string{"lock": "old", "kubeconfig": "old"})
	d, err := Open(root)
	require.NoError(t, err)
	if info, err := os.Stat(filepath.Join(root, Name)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v; want mode 0700", info.Mode(), err)
	}
	require.NoError(t, d.Release())
}
