package tempdir

import (
	"os"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
)

// What a killed run left running ends with the sweep of its folder, and nothing else does.
func TestSweepEndsTheProcessesOfTheDead(t *testing.T) {
	parent := t.TempDir()
	started := func(d *Dir) *proc.Process {
		t.Helper()
		p, err := proc.Start(proc.Options{Path: "/bin/sleep", Args: []string{"1000"}, Env: os.Environ(), Mark: Mark(d.Path), Grace: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Stop() })
		return p
	}
	living, err := New(parent, RunPrefix)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := New(parent, RunPrefix)
	if err != nil {
		t.Fatal(err)
	}
	goesOn, ends := started(living), started(dead)
	if err := dead.lock.Close(); err != nil { // as the kernel does for a process that was killed
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	p, err := proc.Start(proc.Options{Path: "/bin/sleep", Args: []string{"1000"}, Env: os.Environ(), Mark: Mark(dead.Path), Grace: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	if err := dead.Leave(); err != nil {
		t.Fatal(err)
	}
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
