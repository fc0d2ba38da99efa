// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// stale is a project whose control plane was killed when it ran.
func stale(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	dir, err := state.CreateCluster(root)
	require.NoError(t, err)
	require.NoError(t, dir.Close())
	writeHolder(t, root, os.Getpid())
	return root
}

// writeHolder has the file of the process in the background name one.
func writeHolder(t *testing.T, root string, pid int) (path string) {
	t.Helper()
	safefstest.WriteFiles(t, state.Cluster(root), map[string]string{state.HolderName: fmt.Sprintf("%d %s%s\n", pid, time.Now().Format(time.RFC3339), readyMark)})
	return filepath.Join(state.Cluster(root), state.HolderName)
}

func statusOf(t *testing.T, root string) State {
	t.Helper()
	s, err := Status(root)
	require.NoError(t, err)
	return s
}

// However many look at once, one that was killed does not run, and its number is not that of the next one: it may be a
// stranger's by now.
func TestStatusOfAKilledOne(t *testing.T) {
	root := stale(t)
	holder := filepath.Join(state.Cluster(root), state.HolderName)
	before := safefstest.Read(t, holder)
	var looking sync.WaitGroup
	for range 4 {
		looking.Go(func() {
			for range 500 {
				s, err1 := Status(root)
				stopped, err2 := Stop(t.Context(), root)
				if !assert.NoError(t, errors.Join(err1, err2)) || !assert.False(t, s.Running || s.PID != 0 || stopped, "%+v", s) {
					return
				}
			}
		})
	}
	looking.Wait()
	assert.Equal(t, before, safefstest.Read(t, holder))
}

// Where the directory for the state is a file, nothing runs. What is wrong with it is reported by the one who makes the directory.
func TestStatusWhereTheDirectoryIsAFile(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteAll(t, root, "", state.Name)
	assert.Equal(t, stateOf(root), statusOf(t, root))
}

func TestStatusOfOneThatRuns(t *testing.T) {
	root := stale(t)
	statusOf(t, root) // as every start does
	dir, err := state.OpenCluster(root)
	require.NoError(t, err)
	defer func() { _ = dir.Close() }()
	lock, err := hold(t.Context(), dir)
	require.NoError(t, err)
	defer func() { _ = lock.Close() }()
	want := stateOf(root)
	want.Running = true
	assert.Equal(t, want, statusOf(t, root), "before it says who it is")
	want.PID, want.Since = os.Getpid(), time.Now().Truncate(time.Second)
	for _, mark := range []string{"", readyMark} {
		require.NoError(t, note(lock, want.Since, mark))
		want.Ready = mark == readyMark
		got := statusOf(t, root)
		assert.True(t, want.Since.Equal(got.Since))
		got.Since = want.Since
		assert.Equal(t, want, got)
	}
	_, err = hold(t.Context(), dir)
	assert.EqualError(t, err, ErrRunning.Error(), "a second holder")
	found, err := Reset(root)
	assert.Error(t, err, "reset of one that runs")
	assert.False(t, found)
}

// A run is known by its lock; what a killed one left does not count as one that runs.
func TestRunStatus(t *testing.T) {
	root := t.TempDir()
	holds := func(want *Foreground) {
		t.Helper()
		got, err := RunStatus(root)
		require.NoError(t, err)
		if got != nil && want != nil && got.Since.Equal(want.Since) {
			got.Since = want.Since
		}
		assert.Equal(t, want, got)
	}
	holds(nil)
	dir, err := state.Open(root)
	require.NoError(t, err)
	holds(&Foreground{}) // it has not said who it is
	run := &Foreground{PID: os.Getpid(), Since: time.Now().Truncate(time.Second), URL: "https://127.0.0.1:1", Kubeconfig: "k", Recording: &Recording{URL: "http://127.0.0.1:2", Token: "t"}}
	require.NoError(t, Announce(dir, Foreground{Since: run.Since, URL: run.URL, Kubeconfig: run.Kubeconfig, Recording: run.Recording}))
	holds(run)
	record, err := state.Record(root)
	require.NoError(t, err)
	require.NoError(t, dir.Release())
	dir, err = state.Open(root)
	require.NoError(t, err)
	require.NoError(t, dir.WriteRecord(record))
	require.NoError(t, os.Remove(filepath.Join(root, state.Name, "lock")))
	holds(nil) // it was killed
	assert.NoError(t, dir.Release())
}
