// SPDX-License-Identifier: Apache-2.0

// Package proc runs one child process, and sees to its end.
//
// It knows nothing of controllers: what the child is, and when it is started again, is its caller's business.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// Options say what to start.
type Options struct {
	Path  string
	Args  []string
	Env   []string // the whole environment, as KEY=value
	Dir   string
	Stdin io.Reader // nothing to read, if nil; one that is not a file must not block
	// Stdout and Stderr may be files, which the child then writes to itself, or others, whose errors it does not notice.
	Stdout io.Writer
	Stderr io.Writer
	// Files are the child's as well, from file descriptor 3 on. Windows has no such thing.
	Files []*os.File
	// StopSignal is how the child is asked to stop; SIGTERM if nil.
	StopSignal os.Signal
	// Grace is how long the child may take to stop after it was asked to, before it is killed.
	Grace time.Duration
	// Mark, if not empty, is put into the environment of the child, followed by its number, so that KillMarked finds its descendants. When the
	// child has ended they are killed, also those in sessions of their own.
	Mark string
	// Brief leaves descendants of a child that ends by itself alone, except those in its process group: to look for others costs as much as
	// a short child does. KillMarked ends them later.
	Brief bool
}

// Process is a started child.
type Process struct {
	cancel context.CancelFunc
	pid    int
	exited chan struct{}
	done   chan struct{}
	err    error
	killed atomic.Bool // by Kill
}

// Start starts a child in a process group of its own, so that a Ctrl-C at the terminal reaches it once, from here,
// and not a second time from the terminal. Where the system can do it, the child does not outlive this process, even
// if that is killed.
func Start(o Options) (*Process, error) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, o.Path, o.Args...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = o.Env, o.Dir, o.Stdin, o.Stdout, o.Stderr
	cmd.ExtraFiles = o.Files
	cmd.SysProcAttr = sysProcAttr()
	mark := ""
	if o.Mark != "" {
		mark = newMark(o.Mark)
		cmd.Env = append(slices.Clip(cmd.Env), Marker+"="+mark)
	}
	if o.StopSignal == nil {
		o.StopSignal = syscall.SIGTERM
	}
	cmd.Cancel = func() error { return askToStop(cmd.Process, o.StopSignal) }
	cmd.WaitDelay = o.Grace

	out := &pipes{}
	if err := out.connect(cmd); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", o.Path, err)
	}
	p := &Process{cancel: cancel, exited: make(chan struct{}), done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux ties a child's life to the thread that started it: that thread must last as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		if err != nil {
			out.abandon()
			started <- err
			return
		}
		out.started()
		started <- nil
		if p.err = cmd.Wait(); errors.Is(p.err, context.Canceled) {
			p.err = nil // it ended in order, having been asked to
		}
		close(p.exited)
		killGroup(p.pid)
		if !o.Brief || p.killed.Load() {
			KillMarked(mark)
		}
		out.drain()
		close(p.done)
	}()
	if err := <-started; err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", o.Path, err)
	}
	return p, nil
}

// PID is the child's process id, while it runs.
func (p *Process) PID() int { return p.pid }

// Exited is closed when the child has ended. What it wrote may not be copied yet.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Done is closed when the child has ended, and what it wrote has been copied.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the child ended, once Done is closed: nil for exit code 0.
func (p *Process) Err() error { return p.err }

// Signal sends a signal to the child and to its process group, as a terminal does.
func (p *Process) Signal(s os.Signal) { signalGroup(p.pid, s) }

// Kill kills the child and its descendants, without asking.
func (p *Process) Kill() {
	p.killed.Store(true)
	killGroup(p.pid)
}

// Stop asks the child to stop, kills it if it takes longer than its grace, and returns when it has ended. Killed
// reports whether that was needed. It may be called any number of times, also after the child has ended by itself.
func (p *Process) Stop() (killed bool) {
	p.cancel()
	<-p.done
	var exit *exec.ExitError
	return errors.As(p.err, &exit) && wasKilled(exit.ProcessState)
}
