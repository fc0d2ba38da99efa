// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs"
)

const (
	pollInterval = 10 * time.Millisecond
	// lastLines is how much of the log tells why a start failed.
	lastLines = 5
	// logLimit is more than a start that failed logs.
	logLimit = 64 << 20
)

// Start starts the process that program and args make, which calls Serve, and returns when its control plane is ready.
// It outlives this process, and belongs to no terminal.
func Start(ctx context.Context, root, program string, args ...string) (State, error) {
	if s, err := lookAtProcess(root); err != nil {
		return s, err
	} else if s.Running {
		return s, ErrRunning
	}
	dir, err := state.CreateCluster(root)
	if err != nil {
		return State{}, err
	}
	defer func() { _ = dir.Close() }()
	log, err := dir.OpenFile(state.LogName, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return State{}, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = root, log, log, detached()
	if err := cmd.Start(); err != nil {
		return State{}, fmt.Errorf("start the control plane's process: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // how it ended is in its log
	}()
	var s State
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		select {
		case <-ended:
			return false, fmt.Errorf("the control plane did not start:\n%s", tail(dir))
		default:
		}
		var err error
		s, err = Status(root)
		return s.Ready && s.PID == cmd.Process.Pid, err
	})
	if ctx.Err() != nil { // no caller waits for it any more
		_ = askToStop(cmd.Process)
		<-ended
		return s, context.Cause(ctx)
	}
	return s, err
}

func tail(dir *safefs.Dir) string {
	content, err := dir.Read(state.LogName, logLimit)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(string(bytes.TrimSpace(content)), "\n")
	return strings.Join(lines[max(0, len(lines)-lastLines):], "\n")
}

// Stop stops the process and returns when it has ended. Stopped is false if none ran.
func Stop(ctx context.Context, root string) (stopped bool, err error) {
	s, err := lookAtProcess(root)
	if err != nil || !s.Running {
		return false, err
	}
	if s.PID == 0 {
		return false, errors.New("the control plane is still starting; try again")
	}
	// The handle comes first: a process that gets the same number later is another one.
	p, err := os.FindProcess(s.PID)
	if err == nil {
		defer func() { _ = p.Release() }()
		if err = checkServes(s.PID, root); err == nil {
			err = askToStop(p)
		}
	}
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return false, fmt.Errorf("stop process %d: %w", s.PID, err)
	}
	if err := awaitEnd(ctx, root, p); err != nil {
		return false, fmt.Errorf("process %d does not stop; see %s, or kill it (acknowledged writes are safe): %w", s.PID, s.Log, err)
	}
	return true, nil
}

// awaitEnd waits until the process has ended, or the control plane is another's.
func awaitEnd(ctx context.Context, root string, p *os.Process) error {
	return wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		ended := hasEnded(p) // before the look: who has ended holds no lock
		s, err := lookAtProcess(root)
		if err != nil || !s.Running || s.PID != p.Pid {
			return true, err
		}
		if ended {
			return false, fmt.Errorf("it has stopped, but another process holds the lock %s", filepath.Join(s.Data, state.HolderName))
		}
		return false, nil
	})
}

// Ended returns a channel that is closed when the control plane that runs has ended, or the context has.
func Ended(ctx context.Context, root string) <-chan struct{} {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = wait.PollUntilContextCancel(ctx, time.Second, true, func(context.Context) (bool, error) {
			s, err := lookAtProcess(root)
			return err == nil && !s.Running, nil
		})
	}()
	return ended
}

// Reset removes all that a control plane kept. It must not run. Found is false if there was nothing.
func Reset(root string) (found bool, err error) {
	// What cannot be looked at is what crdctl did not make: it is removed unless it is locked.
	if s, err := lookAtProcess(root); err == nil && s.Running {
		return false, errors.New("the control plane is running; stop it first with \"crdctl cluster stop\"")
	}
	err = state.RemoveCluster(root)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
