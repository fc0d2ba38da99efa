package tempdir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSweepOfFoldersWithoutLock(t *testing.T) {
	parent := t.TempDir()
	young, old, full, other := filepath.Join(parent, RunPrefix+"young"), filepath.Join(parent, RunPrefix+"old"),
		filepath.Join(parent, RunPrefix+"full"), filepath.Join(parent, "other")
	long := time.Now().Add(-2 * birthTime)
	for _, dir := range []string{young, old, full, other} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(full, "file"), nil, 0o600))
	for _, dir := range []string{old, full, other} {
		require.NoError(t, os.Chtimes(dir, long, long))
	}
	assert.Error(t, Sweep(parent, RunPrefix), "no error about a folder that is not ours for certain")
	for dir, want := range map[string]bool{young: true, old: false, full: true, other: true} {
		_, err := os.Stat(dir)
		assert.Equal(t, want, err == nil, "%s: there", filepath.Base(dir))
	}
}

func TestSweepTakesTheDeadOnly(t *testing.T) {
	parent := t.TempDir()
	living, err := New(parent, RunPrefix)
	require.NoError(t, err)
	dead, err := New(parent, RunPrefix)
	require.NoError(t, err)
	require.NoError(t, dead.lock.Close()) // as the kernel does for a process that was killed
	assert.NoError(t, Sweep(parent, RunPrefix))
	_, err = os.Stat(dead.Path)
	assert.ErrorIs(t, err, fs.ErrNotExist, "the folder of a dead owner")
	_, err = os.Stat(living.Path)
	assert.NoError(t, err, "the folder of a living owner")
	assert.NoError(t, living.Remove())
	left, _ := os.ReadDir(parent)
	assert.Empty(t, left, "left behind")
}

// TestSweepAndBirth lets folders be born while others are swept: none may be lost to its owner.
func TestSweepAndBirth(t *testing.T) {
	parent := t.TempDir()
	swept := make(chan error)
	stopSweeping := make(chan struct{})
	go func() {
		for {
			select {
			case <-stopSweeping:
				swept <- nil
				return
			default:
			}
			if err := Sweep(parent, RunPrefix); err != nil {
				swept <- err
				return
			}
		}
	}()
	for range 1000 {
		d, err := New(parent, RunPrefix)
		if err != nil {
			t.Error(err)
			break
		}
		_, err = os.Stat(filepath.Join(d.Path, LockName))
		assert.NoError(t, err, "lost")
		assert.NoError(t, d.Remove())
	}
	close(stopSweeping)
	assert.NoError(t, <-swept)
}

// Who is killed while a folder is removed leaves one that the next sweep knows: its lock goes last.
func TestLockGoesLast(t *testing.T) {
	d, err := New(t.TempDir(), RunPrefix)
	require.NoError(t, err)
	safefstest.WriteFiles(t, d.Path, map[string]string{"a": "", "zz/file": ""})
	require.NoError(t, removeContents(d.dir))
	if left, err := os.ReadDir(d.Path); err != nil || len(left) != 1 || left[0].Name() != LockName {
		t.Errorf("before the folder goes, it has %v %v", left, err)
	}
	assert.NoError(t, d.Remove())
}

// A directory that is replaced by a link while it is swept does not lead the sweep elsewhere: what was opened is emptied.
func TestSweepOfASwappedDirectory(t *testing.T) {
	parent, victim := t.TempDir(), t.TempDir()
	precious := filepath.Join(victim, "docs", "thesis.txt")
	dead := died(t, parent)
	require.NoError(t, os.Mkdir(filepath.Join(dead, "docs"), 0o700))
	safefstest.WriteFiles(t, victim, map[string]string{"docs/thesis.txt": "years"})
	aside := filepath.Join(parent, "aside")
	swapped := ""
	err := SweepAfter(parent, RunPrefix, func(dir string) error {
		swapped = dir
		return errors.Join(os.Rename(dead, aside), os.Symlink(victim, dead))
	})
	require.NoError(t, err, "swapped")
	assert.Equal(t, dead, swapped, "swapped")
	_, err = os.Stat(precious)
	assert.NoError(t, err)
	if left, err := os.ReadDir(aside); err != nil || len(left) != 0 {
		t.Errorf("left of what was swept: %v, %v", left, err)
	}
}

// A link, which may lead to a directory of the same user, is not swept.
func TestSweepFollowsNoLink(t *testing.T) {
	parent, elsewhere := t.TempDir(), t.TempDir()
	dead := died(t, elsewhere)
	require.NoError(t, os.Symlink(dead, filepath.Join(parent, RunPrefix+"link")))
	assert.NoError(t, Sweep(parent, RunPrefix))
	_, err := os.Stat(filepath.Join(dead, LockName))
	assert.NoError(t, err)
}

// Directories of other users are neither entered nor removed.
func TestSweepLeavesOtherUsersAlone(t *testing.T) {
	parent := t.TempDir()
	dead := died(t, parent)
	assert.NoError(t, sweepOf(safefs.Owners{os.Geteuid() + 1}, parent, RunPrefix, func(string) error { return nil }))
	_, err := os.Stat(filepath.Join(dead, LockName))
	assert.NoError(t, err, "a directory of another user")
	assert.NoError(t, sweepOf(safefs.Self(), parent, RunPrefix, func(string) error { return nil }))
	_, err = os.Stat(dead)
	assert.ErrorIs(t, err, fs.ErrNotExist, "one of this user")
}

// died returns the directory of a process that was killed.
func died(t *testing.T, parent string) string {
	t.Helper()
	d, err := New(parent, RunPrefix)
	require.NoError(t, err)
	require.NoError(t, d.Leave())
	return d.Path
}
