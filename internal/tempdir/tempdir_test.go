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
)

func TestSweepOfFoldersWithoutLock(t *testing.T) {
	parent := t.TempDir()
	young, old, full, other := filepath.Join(parent, RunPrefix+"young"), filepath.Join(parent, RunPrefix+"old"),
		filepath.Join(parent, RunPrefix+"full"), filepath.Join(parent, "other")
	long := time.Now().Add(-2 * birthTime)
	for _, dir := range []string{young, old, full, other} {
		safefstest.Must(t, os.Mkdir(dir, 0o700))
	}
	safefstest.Must(t, os.WriteFile(filepath.Join(full, "file"), nil, 0o600))
	for _, dir := range []string{old, full, other} {
		safefstest.Must(t, os.Chtimes(dir, long, long))
	}
	if err := Sweep(parent, RunPrefix); err == nil {
		t.Error("no error about a folder that is not ours for certain")
	}
	for dir, want := range map[string]bool{young: true, old: false, full: true, other: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
}

func TestSweepTakesTheDeadOnly(t *testing.T) {
	parent := t.TempDir()
	living, err := New(parent, RunPrefix)
	safefstest.Must(t, err)
	dead, err := New(parent, RunPrefix)
	safefstest.Must(t, err)
	safefstest.Must(t, dead.lock.Close()) // as the kernel does for a process that was killed
	if err := Sweep(parent, RunPrefix); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dead.Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder of a dead owner: %v", err)
	}
	if _, err := os.Stat(living.Path); err != nil {
		t.Errorf("the folder of a living owner: %v", err)
	}
	if err := living.Remove(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(parent); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
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
		if _, err := os.Stat(filepath.Join(d.Path, LockName)); err != nil {
			t.Errorf("lost: %v", err)
		}
		if err := d.Remove(); err != nil {
			t.Error(err)
		}
	}
	close(stopSweeping)
	if err := <-swept; err != nil {
		t.Error(err)
	}
}

// Who is killed while a folder is removed leaves one that the next sweep knows: its lock goes last.
func TestLockGoesLast(t *testing.T) {
	d, err := New(t.TempDir(), RunPrefix)
	safefstest.Must(t, err)
	safefstest.WriteFiles(t, d.Path, map[string]string{"a": "", "zz/file": ""})
	safefstest.Must(t, removeContents(d.dir))
	if left, err := os.ReadDir(d.Path); err != nil || len(left) != 1 || left[0].Name() != LockName {
		t.Errorf("before the folder goes, it has %v %v", left, err)
	}
	if err := d.Remove(); err != nil {
		t.Error(err)
	}
}

// A directory that is replaced by a link while it is swept does not lead the sweep elsewhere: what was opened is emptied.
func TestSweepOfASwappedDirectory(t *testing.T) {
	parent, victim := t.TempDir(), t.TempDir()
	precious := filepath.Join(victim, "docs", "thesis.txt")
	dead := died(t, parent)
	safefstest.Must(t, os.Mkdir(filepath.Join(dead, "docs"), 0o700))
	safefstest.WriteFiles(t, victim, map[string]string{"docs/thesis.txt": "years"})
	aside := filepath.Join(parent, "aside")
	swapped := ""
	err := SweepAfter(parent, RunPrefix, func(dir string) error {
		swapped = dir
		return errors.Join(os.Rename(dead, aside), os.Symlink(victim, dead))
	})
	if err != nil || swapped != dead {
		t.Errorf("swapped %q, error %v", swapped, err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(aside); err != nil || len(left) != 0 {
		t.Errorf("left of what was swept: %v, %v", left, err)
	}
}

// A link, which may lead to a directory of the same user, is not swept.
func TestSweepFollowsNoLink(t *testing.T) {
	parent, elsewhere := t.TempDir(), t.TempDir()
	dead := died(t, elsewhere)
	safefstest.Must(t, os.Symlink(dead, filepath.Join(parent, RunPrefix+"link")))
	if err := Sweep(parent, RunPrefix); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dead, LockName)); err != nil {
		t.Error(err)
	}
}

// Directories of other users are neither entered nor removed.
func TestSweepLeavesOtherUsersAlone(t *testing.T) {
	parent := t.TempDir()
	dead := died(t, parent)
	if err := sweepOf(safefs.Owners{os.Geteuid() + 1}, parent, RunPrefix, func(string) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dead, LockName)); err != nil {
		t.Errorf("a directory of another user: %v", err)
	}
	if err := sweepOf(safefs.Self(), parent, RunPrefix, func(string) error { return nil }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one of this user: %v", err)
	}
}

// died returns the directory of a process that was killed.
func died(t *testing.T, parent string) string {
	t.Helper()
	d, err := New(parent, RunPrefix)
	safefstest.Must(t, err)
	safefstest.Must(t, d.Leave())
	return d.Path
}
