// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package ui

import (
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lookEvery is how often it is looked whether the terminal is this process's: a shell moves it between its jobs.
const lookEvery = 200 * time.Millisecond

// keyReader reads keys from a terminal, one by one and without echo, while the process is in the foreground. Ctrl-C, Ctrl-Z and Ctrl-\
// stay signals, and output is not touched.
type keyReader struct {
	fd      int
	pressed chan byte
	done    chan struct{}
	over    sync.WaitGroup

	mu     sync.Mutex
	before *unix.Termios // what to restore; nil while the terminal is as it was
	ended  bool
}

// ReadKeys begins to read keys, and returns nil where in is not a terminal.
func ReadKeys(in io.Reader) *Keys {
	f, ok := in.(*os.File)
	if !ok || !IsTerminal(f) {
		return nil
	}
	r := &keyReader{fd: int(f.Fd()), pressed: make(chan byte, 1), done: make(chan struct{})}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGQUIT)
	r.over.Add(2)
	go func() {
		defer r.over.Done()
		r.obey(signals)
	}()
	go func() {
		defer r.over.Done()
		r.read()
	}()
	return &Keys{Pressed: r.pressed, stop: sync.OnceFunc(func() {
		close(r.done)
		r.mu.Lock()
		r.restore()
		r.ended = true
		r.mu.Unlock()
		r.over.Wait()
		signal.Stop(signals)
	})}
}

func (r *keyReader) read() {
	for {
		select {
		case <-r.done:
			return
		default:
		}
		if !r.take() { // to read now would stop the process
			select {
			case <-r.done:
				return
			case <-time.After(lookEvery):
			}
			continue
		}
		ready := []unix.PollFd{{Fd: int32(r.fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(ready, int(lookEvery.Milliseconds())); err != nil && err != unix.EINTR || n > 0 && ready[0].Revents&unix.POLLIN == 0 {
			return // the terminal is gone
		} else if n <= 0 || !r.foreground() {
			continue
		}
		var key [1]byte
		if n, err := unix.Read(r.fd, key[:]); n == 1 {
			select {
			case r.pressed <- key[0]:
			case <-r.done:
				return
			}
		} else if err != unix.EINTR && err != unix.EAGAIN {
			return
		}
	}
}

// foreground reports whether the terminal belongs to the job that this process is of.
func (r *keyReader) foreground() bool {
	group, err := unix.IoctlGetInt(r.fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// take has the terminal deliver keys, and reports whether it does.
func (r *keyReader) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ended:
		return false
	case !r.foreground():
		r.before = nil // the job that has the terminal now has set it up
		return false
	case r.before != nil:
		return true
	}
	now, err := unix.IoctlGetTermios(r.fd, getTermios)
	if err != nil {
		return false
	}
	keys := *now
	keys.Lflag &^= unix.ICANON | unix.ECHO
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	if unix.IoctlSetTermios(r.fd, setTermios, &keys) != nil {
		return false
	}
	r.before = now
	return true
}

// restore makes the terminal what it was; r.mu is held. In the background that is not ours to do, and would stop the process.
func (r *keyReader) restore() {
	if r.before != nil && r.foreground() {
		_ = unix.IoctlSetTermios(r.fd, setTermios, r.before)
	}
	r.before = nil
}

// obey does for the terminal what the system does for the process at Ctrl-Z and Ctrl-\, and leaves the rest to the system.
func (r *keyReader) obey(signals chan os.Signal) {
	for {
		select {
		case <-r.done:
			return
		case s := <-signals:
			if s == syscall.SIGCONT {
				continue // the reader takes the terminal again
			}
			r.mu.Lock()
			r.restore()
			if s == syscall.SIGQUIT {
				signal.Reset(s)
				_ = unix.Kill(unix.Getpid(), unix.SIGQUIT)
				time.Sleep(time.Second) // for the runtime to print its stacks
			} else {
				_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
				r.awaitContinue(signals) // threads run on until one of them has the signal: the reader would take the terminal again
			}
			r.mu.Unlock()
		}
	}
}

// awaitContinue returns when the process goes on after it was stopped.
func (r *keyReader) awaitContinue(signals chan os.Signal) {
	for {
		select {
		case <-r.done:
			return
		case s := <-signals:
			if s == syscall.SIGCONT {
				return
			}
		}
	}
}
