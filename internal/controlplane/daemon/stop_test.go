//go:build linux

package daemon

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/stretchr/testify/require"
)

// bystander is a process that must not get a signal.
func bystander(t *testing.T) *exec.Cmd {
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
	return cmd
}

// held puts a process into the file of the process in the background, and locks that for this one.
func held(t *testing.T, root string, pid int) {
	t.Helper()
	path := filepath.Join(state.Cluster(root), state.HolderName)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	line := fmt.Sprintf("%d %s%s\n", pid, time.Now().Format(time.RFC3339), readyMark)
	require.NoError(t, os.WriteFile(path, []byte(line), 0o644))
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	require.NoError(t, safefs.TryLock(f, false))
}

// A directory that came with a repository, and whose file another user has locked, names a process of the victim's.
func TestStopInADirectoryOfARepository(t *testing.T) {
	root := t.TempDir()
	held(t, root, bystander(t).Process.Pid)
	if stopped, err := Stop(t.Context(), root); stopped || err == nil {
		t.Errorf("stopped %v, %v", stopped, err)
	}
	if s, err := Status(root); err == nil || s.Running {
		t.Errorf("look: %+v, %v", s, err)
	}
	if found, err := Reset(root); found || err == nil {
		t.Errorf("reset: %v, %v", found, err)
	}
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
			root, _ := stale(t)
			if c.pid == 0 {
				c.pid = bystander(t).Process.Pid
			}
			held(t, root, c.pid)
			require.NoError(t, os.Chmod(state.Cluster(root), c.mode))
			if stopped, err := Stop(t.Context(), root); stopped || err == nil {
				t.Errorf("stopped %v, %v", stopped, err)
			}
		})
	}
}

// Another process that holds the lock after the control plane has ended is not waited for.
func TestStopDoesNotWaitForAnotherHolder(t *testing.T) {
	cmd := exec.Command("true")
	require.NoError(t, cmd.Run())
	root, _ := stale(t)
	held(t, root, cmd.Process.Pid)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if stopped, err := Stop(ctx, root); stopped || err == nil || ctx.Err() != nil {
		t.Errorf("stopped %v, %v", stopped, err)
	}
}

// The process that Start starts is stopped, by whatever name the project goes.
func TestStop(t *testing.T) {
	root, _ := stale(t)
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(root, link))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s, err := Start(ctx, root, os.Args[0], "cluster", "serve", "--dir", root)
	require.NoError(t, err, "%+v", s)
	require.True(t, s.Ready, "%+v", s)
	if stopped, err := Stop(ctx, link); !stopped || err != nil {
		t.Errorf("stopped %v, %v", stopped, err)
		_ = syscall.Kill(s.PID, syscall.SIGKILL)
	}
	if s, err := Status(root); err != nil || s.Running {
		t.Errorf("after the stop: %+v, %v", s, err)
	}
}
