// SPDX-License-Identifier: Apache-2.0

package tempdir

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func TestSweepOfFoldersWithoutLock(t *testing.T) {
	parent := t.TempDir()
	young, old, full, other := filepath.Join(parent, RunPrefix+"young"), filepath.Join(parent, RunPrefix+"old"),
		filepath.Join(parent, RunPrefix+"full"), filepath.Join(parent, "other")
	long := time.Now().Add(-2 * birthTime)
	for _, dir := range []string{young, old, full, other} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	safefstest.WriteAll(t, full, "", "file")
	for _, dir := range []string{old, full, other} {
		require.NoError(t, os.Chtimes(dir, long, long))
	}
	assert.Error(t, Sweep(parent, RunPrefix), "no error about a directory that is not ours for certain")
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
	assert.NoDirExists(t, dead.Path)
	assert.DirExists(t, living.Path)
	assert.NoError(t, living.Remove())
	left, _ := os.ReadDir(parent)
	assert.Empty(t, left, "left behind")
}

// TestSweepAndBirth lets directories be born while others are swept: none may be lost to its owner.
func TestSweepAndBirth(t *testing.T) {
	parent := t.TempDir()
	var sweeping sync.WaitGroup
	var done atomic.Bool
	sweeping.Go(func() {
		for !done.Load() && assert.NoError(t, Sweep(parent, RunPrefix)) {
		}
	})
	for range 1000 {
		d, err := New(parent, RunPrefix)
		if !assert.NoError(t, err) {
			break
		}
		assert.FileExists(t, filepath.Join(d.Path, LockName), "lost")
		assert.NoError(t, d.Remove())
	}
	done.Store(true)
	sweeping.Wait()
}

// Who is killed while a directory is removed leaves one that the next sweep knows: its lock goes last.
func TestLockGoesLast(t *testing.T) {
	d, err := New(t.TempDir(), RunPrefix)
	require.NoError(t, err)
	safefstest.WriteFiles(t, d.Path, map[string]string{"a": "", "zz/file": ""})
	require.NoError(t, removeContents(d.dir))
	left, err := os.ReadDir(d.Path)
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, LockName, left[0].Name())
	assert.NoError(t, d.Remove())
}

// A directory that is replaced by a link while it is swept does not lead the sweep elsewhere: what was opened is emptied.
func TestSweepOfASwappedDirectory(t *testing.T) {
	parent, victim := t.TempDir(), t.TempDir()
	precious := filepath.Join(victim, "docs", "thesis.txt")
	dead := died(t, parent)
	require.NoError(t, os.Mkdir(filepath.Join(dead, "docs"), 0o700))
	safefstest.WriteAll(t, victim, "years", "docs/thesis.txt")
	aside := filepath.Join(parent, "aside")
	swapped := ""
	err := SweepAfter(parent, RunPrefix, func(dir string) error {
		swapped = dir
		return errors.Join(os.Rename(dead, aside), os.Symlink(victim, dead))
	})
	require.NoError(t, err, "swapped")
	assert.Equal(t, dead, swapped, "swapped")
	assert.FileExists(t, precious)
	left, err := os.ReadDir(aside)
	require.NoError(t, err)
	assert.Empty(t, left)
}

// A link, which may lead to a directory of the same user, is not swept.
func TestSweepFollowsNoLink(t *testing.T) {
	parent, elsewhere := t.TempDir(), t.TempDir()
	dead := died(t, elsewhere)
	require.NoError(t, os.Symlink(dead, filepath.Join(parent, RunPrefix+"link")))
	assert.NoError(t, Sweep(parent, RunPrefix))
	assert.FileExists(t, filepath.Join(dead, LockName))
}

// Directories of other users are neither entered nor removed.
func TestSweepLeavesOtherUsersAlone(t *testing.T) {
	parent := t.TempDir()
	dead := died(t, parent)
	assert.NoError(t, sweepOf(safefs.Owners{os.Geteuid() + 1}, parent, RunPrefix, func(string) error { return nil }))
	assert.FileExists(t, filepath.Join(dead, LockName), "a directory of another user")
	assert.NoError(t, sweepOf(safefs.Self(), parent, RunPrefix, func(string) error { return nil }))
	assert.NoDirExists(t, dead, "one of this user")
}

// died returns the directory of a process that was killed.
func died(t *testing.T, parent string) string {
	t.Helper()
	d, err := New(parent, RunPrefix)
	require.NoError(t, err)
	require.NoError(t, d.Leave())
	return d.Path
}
