package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/program"
	"github.com/crdctl/crdctl/internal/proc"
)

// process is a program that is started again and again, each time with a log of its own. Whoever holds the lock of its
// life may use it, and in calm the only goroutine that is left.
type process struct {
	*program.Process
	name, logs string
	side       program.Side
	wanted     bool // started, and its end is not asked for
	starts     int
	log        *os.File
	// pauses are when it did not run: it was stopped, or killed and not there yet. What its hook was at then, it does not
	// answer for.
	pauses []time.Time
}

func (p *process) start() (err error) {
	p.starts++
	if p.log, err = os.Create(filepath.Join(p.logs, fmt.Sprintf("%s.%d.log", p.name, p.starts))); err != nil {
		return err
	}
	p.side.Log = p.log
	running, err := program.Start(p.side, func(o *proc.Options) { o.StopSignal = syscall.SIGTERM })
	if err != nil {
		return errors.Join(err, p.log.Close())
	}
	p.Process, p.wanted = running, true
	return nil
}

// stop has the process end, in one way or another. It is an error if it had ended before by itself.
func (p *process) stop(how func() error) error {
	if !p.wanted {
		return nil
	}
	p.wanted = false
	var err error
	select {
	case <-p.Done():
		err = errors.Join(fmt.Errorf("%s ended by itself; see %s", p.name, p.log.Name()), p.Err())
	default:
		err = how()
	}
	p.pauses = append(p.pauses, time.Now()) // after: all before that could be its doing
	return errors.Join(err, p.log.Close())
}

// kill is kill -9, and returns when it has ended.
func (p *process) kill() error {
	return p.stop(func() error {
		p.Kill()
		<-p.Done()
		return nil
	})
}

// end is SIGTERM. It is an error if the process does not end, or not well.
func (p *process) end() error {
	return p.stop(func() error {
		began := time.Now()
		if err := p.End(); err != nil {
			return fmt.Errorf("%s: %w, %s after SIGTERM; see %s", p.name, err, time.Since(began).Round(time.Millisecond), p.log.Name())
		}
		return nil
	})
}
