// SPDX-License-Identifier: Apache-2.0

package tempdir

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/proc"
)

// started returns a process that has the mark of a directory.
func started(t *testing.T, d *Dir) *proc.Process {
	t.Helper()
	p, err := proc.Start(proc.Options{Path: "/bin/sleep", Args: []string{"1000"}, Env: os.Environ(), Mark: Mark(d.Path), Grace: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { p.Stop() })
	return p
}

// What a killed run left running ends with the sweep of its directory, and nothing else does.
func TestSweepEndsTheProcessesOfTheDead(t *testing.T) {
	parent := t.TempDir()
	living, err := New(parent, RunPrefix)
	require.NoError(t, err)
	dead, err := New(parent, RunPrefix)
	require.NoError(t, err)
	goesOn, ends := started(t, living), started(t, dead)
	require.NoError(t, dead.lock.Close()) // as the kernel does for a process that was killed
	assert.NoError(t, Sweep(parent, RunPrefix))
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
	assert.NoError(t, living.Remove())
}

// A directory that is not of a run may come with a repository, and names no process to end.
func TestSweepOfOtherDirectoriesEndsNothing(t *testing.T) {
	const prefix = ".crdctl-stage-"
	parent := t.TempDir()
	dead, err := New(parent, prefix)
	require.NoError(t, err)
	p := started(t, dead)
	require.NoError(t, dead.Leave())
	assert.NoError(t, Sweep(parent, prefix))
	_, err = os.Stat(dead.Path)
	assert.Error(t, err, "the directory stays")
	select {
	case <-p.Done():
		t.Error("a process was ended")
	case <-time.After(100 * time.Millisecond):
	}
}
