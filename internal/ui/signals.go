// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

const (
	// onePress is how close two signals are that were meant as one: "timeout" and some terminals send theirs to the
	// process and to its group.
	onePress = 300 * time.Millisecond
	// hurryTime is how long the end may take after the second signal.
	hurryTime = 3 * time.Second
	// lastTime is how long what comes before exit may take.
	lastTime = time.Second
)

// Interrupts are what the user asks for with signals.
type Interrupts struct {
	// Hurry is closed on the second signal: a user who presses Ctrl-C twice does not want to wait for an orderly end.
	Hurry chan struct{}
	done  chan struct{}
	quit  chan struct{}

	mu   sync.Mutex
	last []func()
}

// BeforeExit has f called if exit is: an orderly end, which cannot be waited for, would do what f does.
func (i *Interrupts) BeforeExit(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.last = append(i.last, f)
}

// leave calls exit, and before it what was registered.
func (i *Interrupts) leave(exit func(int)) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		i.mu.Lock()
		defer i.mu.Unlock()
		for _, f := range i.last {
			f()
		}
	}()
	select {
	case <-over:
	case <-time.After(lastTime):
	}
	exit(ExitTrouble)
}

// WithSignals returns a context that ends on the first SIGINT, SIGTERM or SIGHUP. On the second, what is waited for is
// killed; if that does not end the process soon, exit is called.
func WithSignals(parent context.Context, w io.Writer, exit func(int)) (context.Context, *Interrupts) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return follow(parent, signals, w, exit)
}

// follow does what WithSignals promises with the signals of a channel.
func follow(parent context.Context, signals chan os.Signal, w io.Writer, exit func(int)) (context.Context, *Interrupts) {
	ctx, cancel := context.WithCancel(parent)
	i := &Interrupts{Hurry: make(chan struct{}), done: make(chan struct{}), quit: make(chan struct{}, 1)}
	go func() {
		defer cancel()
		defer signal.Stop(signals)
		select {
		case <-signals:
			cancel()
		case <-i.quit:
			cancel()
		case <-i.done:
			return
		}
		for pressed := time.Now(); time.Since(pressed) < onePress; {
			select {
			case <-signals:
			case <-time.After(onePress - time.Since(pressed)):
			case <-i.done:
				return
			}
		}
		select {
		case <-signals:
			NewReporter(w).Note("second signal; exiting immediately")
			close(i.Hurry)
		case <-i.done:
			return
		}
		select {
		case <-time.After(hurryTime):
			i.leave(exit)
		case <-i.done:
		}
	}()
	return ctx, i
}

// Quit counts as the first signal, so that the next one does not wait for an orderly end. After a signal it does nothing.
func (i *Interrupts) Quit() {
	select {
	case i.quit <- struct{}{}:
	default:
	}
}

// End ends the handling of signals.
func (i *Interrupts) End() { close(i.done) }

// Hurried reports whether there was a second signal.
func (i *Interrupts) Hurried() bool {
	select {
	case <-i.Hurry:
		return true
	default:
		return false
	}
}
