// SPDX-License-Identifier: Apache-2.0

//go:build linux

package daemon

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs"
)

// bystander is a process that must not get a signal.
func bystander(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		select {
		case <-ended:
			t.Error("the bystander was stopped")
		case <-time.After(50 * time.Millisecond):
			_ = cmd.Process.Kill()
			<-ended
		}
	})
	return cmd.Process.Pid
}

// held puts a process into the file of the process in the background, and locks that for this one.
func held(t *testing.T, root string, pid int) {
	t.Helper()
	f, err := os.Open(writeHolder(t, root, pid))
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	require.NoError(t, safefs.TryLock(f, false))
}

// isNotStopped holds that Stop neither stops a process nor waits for one.
func isNotStopped(t *testing.T, root string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stopped, err := Stop(ctx, root)
	assert.Error(t, err)
	assert.False(t, stopped)
	assert.NoError(t, ctx.Err())
}

// A directory that came with a repository, and whose file another user has locked, names a process of the victim's.
func TestStopInADirectoryOfARepository(t *testing.T) {
	root := t.TempDir()
	held(t, root, bystander(t))
	isNotStopped(t, root)
	s, err := Status(root)
	assert.Error(t, err)
	assert.False(t, s.Running)
	found, err := Reset(root)
	assert.Error(t, err)
	assert.False(t, found)
}

// The same in one that is open to others, and in one that names a process that is no control plane, or no process.
func TestStopOfAnotherProcess(t *testing.T) {
	for what, c := range map[string]struct {
		pid  int
		mode os.FileMode
	}{
		"open to others": {0, 0o755},
		"a bystander":    {0, 0o700},
		"init":           {1, 0o700},
		"a group":        {-1, 0o700},
	} {
		t.Run(what, func(t *testing.T) {
			root := stale(t)
			if c.pid == 0 {
				c.pid = bystander(t)
			}
			held(t, root, c.pid)
			require.NoError(t, os.Chmod(state.Cluster(root), c.mode))
			isNotStopped(t, root)
		})
	}
}

// Another process that holds the lock after the control plane has ended is not waited for.
func TestStopDoesNotWaitForAnotherHolder(t *testing.T) {
	cmd := exec.Command("true")
	require.NoError(t, cmd.Run())
	root := stale(t)
	held(t, root, cmd.Process.Pid)
	isNotStopped(t, root)
}

// The process that Start starts is stopped, by whatever name the project goes.
func TestStop(t *testing.T) {
	root := stale(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := Start(ctx, root, os.Args[0], "cluster", "serve", "--dir", root)
	require.NoError(t, err, "%+v", s)
	require.True(t, s.Ready, "%+v", s)
	stopped, err := Stop(ctx, link)
	if !assert.True(t, stopped, err) {
		_ = syscall.Kill(s.PID, syscall.SIGKILL)
	}
	assert.NoError(t, err)
	assert.False(t, statusOf(t, root).Running)
}
