package tempdir

import (
	"os"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// started returns a process that has the mark of a directory.
func started(t *testing.T, d *Dir) *proc.Process {
	t.Helper()
	p, err := proc.Start(proc.Options{Path: "/bin/sleep", Args: []string{"1000"}, Env: os.Environ(), Mark: Mark(d.Path), Grace: time.Minute})
	safefstest.Must(t, err)
	t.Cleanup(func() { p.Stop() })
	return p
}

// What a killed run left running ends with the sweep of its folder, and nothing else does.
func TestSweepEndsTheProcessesOfTheDead(t *testing.T) {
	parent := t.TempDir()
	living, err := New(parent, RunPrefix)
	safefstest.Must(t, err)
	dead, err := New(parent, RunPrefix)
	safefstest.Must(t, err)
	goesOn, ends := started(t, living), started(t, dead)
	safefstest.Must(t, dead.lock.Close()) // as the kernel does for a process that was killed
	if err := Sweep(parent, RunPrefix); err != nil {
		t.Error(err)
	}
	select {
	case <-ends.Done():
	case <-time.After(time.Minute):
		t.Error("a process of a killed run goes on")
	}
	select {
	case <-goesOn.Done():
		t.Error("a process of a living run was ended")
	default:
	}
	if err := living.Remove(); err != nil {
		t.Error(err)
	}
}

// A directory that is not of a run may come with a repository, and names no process to end.
func TestSweepOfOtherDirectoriesEndsNothing(t *testing.T) {
	const prefix = ".crdctl-stage-"
	parent := t.TempDir()
	dead, err := New(parent, prefix)
	safefstest.Must(t, err)
	p := started(t, dead)
	safefstest.Must(t, dead.Leave())
	if err := Sweep(parent, prefix); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dead.Path); err == nil {
		t.Error("the directory stays")
	}
	select {
	case <-p.Done():
		t.Error("a process was ended")
	case <-time.After(100 * time.Millisecond):
	}
}
