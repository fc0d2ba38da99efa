// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience bounds every wait. It is no measure of anything: machines that run tests are busy.
const patience = 5 * time.Minute

// process is a running program whose output can be waited for.
type process struct {
	testing.TB
	cmd  *exec.Cmd
	done chan struct{}
	err  error

	mu     sync.Mutex
	output []byte
	seen   int // how much of output waitFor has passed
}

// start starts a program; at the end of the test it is killed if it still runs.
func (w *world) start(dir, name string, args ...string) *process {
	w.Helper()
	return w.startTo(nil, dir, name, args...)
}

// startTo is start with a file, closed here, that the output goes to; nil keeps it for waitFor.
func (w *world) startTo(out *os.File, dir, name string, args ...string) *process {
	w.Helper()
	p := &process{TB: w.TB, cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, w.env()
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if out != nil {
		p.cmd.Stdout, p.cmd.Stderr = out, out
		defer func() { _ = out.Close() }()
	}
	require.NoError(w, p.cmd.Start())
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	w.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if w.Failed() {
			w.Logf("output of %s %s:\n%s", filepath.Base(name), strings.Join(args, " "), p.text())
		}
	})
	return p
}

// Write takes what the program prints.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.output = append(p.output, b...)
	return len(b), nil
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return string(p.output)
}

// waitFor waits until the texts have been printed, in this order, after what was waited for before. A program that prints its progress is
// given more time: on a new machine its first build compiles client-go.
func (p *process) waitFor(texts ...string) {
	p.Helper()
	for _, text := range texts {
		began, deadline, printed := time.Now(), time.Now().Add(patience), 0
		for ; ; time.Sleep(20 * time.Millisecond) {
			if n := len(p.text()); n > printed && time.Since(began) < 8*patience {
				printed, deadline = n, time.Now().Add(patience)
			}
			if i := strings.Index(p.text()[p.seen:], text); i >= 0 {
				p.seen += i + len(text)
				break
			}
			ended := false
			select {
			case <-p.done:
				ended = true
			default:
			}
			if time.Now().After(deadline) || ended && !strings.Contains(p.text()[p.seen:], text) {
				p.Fatalf("%q was not printed (ended: %v) after:\n%s\nbut only:\n%s", text, ended, p.text()[:p.seen], p.text()[p.seen:])
			}
		}
	}
}

func (p *process) signal(s os.Signal) {
	p.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.Fatal(err)
	}
}

// interrupt presses Ctrl-C, and waits for the end.
func (p *process) interrupt() (exitCode int) {
	p.Helper()
	p.signal(os.Interrupt)
	return p.wait()
}

// wait waits for the end. A script of commands prints nothing while one of them compiles client-go on a new machine.
func (p *process) wait() (exitCode int) {
	p.Helper()
	select {
	case <-p.done:
	case <-time.After(5 * patience):
		p.signal(syscall.SIGQUIT) // for the stacks
		time.Sleep(time.Second)
		p.Fatal("did not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

// exitCode is the exit code in the error of a program that was run; 0 for none.
func exitCode(err error) int {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	}
	return 0
}
