// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
)

const (
	startLimit = 30 * time.Second // for a machine that is very busy; it takes 20 ms
	maxError   = 64 << 10
)

// process is a helper, as its parent sees it. It is used by one call at a time.
type process struct {
	*proc.Process
	templates *parsed
	in, out   *os.File
	w         *bufio.Writer
	r         *bufio.Reader
	stderr    head
	gone      bool
}

func start(t *parsed, s setup) (*process, error) {
	message, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	program, err := self()
	if err != nil {
		return nil, err
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		_, _ = stdin.Close(), in.Close()
		return nil, err
	}
	p := &process{templates: t, in: in, out: out, w: bufio.NewWriterSize(in, 64<<10), r: bufio.NewReaderSize(out, 64<<10)}
	p.Process, err = proc.Start(proc.Options{
		Path: program, Env: []string{trigger + "=1", "GOTRACEBACK=none"}, Stdin: stdin, Stdout: stdout, Stderr: &p.stderr,
		StopSignal: os.Kill,
	})
	_, _ = stdin.Close(), stdout.Close()
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if _, err := p.call(ctx, frameSetup, message, 0); err != nil {
		return nil, fmt.Errorf("start a process to render templates: %w", err)
	}
	return p, nil
}

// self is this program. On Linux it is the one that runs, also when another file has its name since then.
func self() (string, error) {
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			return "/proc/self/exe", nil
		}
	}
	return os.Executable()
}

// call sends one frame and returns what is answered. The process may be gone after an error.
func (p *process) call(ctx context.Context, kind byte, request []byte, limit int) ([]byte, error) {
	unbind := context.AfterFunc(ctx, p.Kill) // which ends reads and writes
	var answer []byte
	err := writeFrame(p.w, kind, request)
	if err == nil {
		kind, answer, err = readFrame(p.r, limit+maxError)
	}
	if !unbind() {
		p.stop()
		return nil, context.Cause(ctx)
	}
	switch {
	case err != nil:
		p.stop()
		return nil, p.ended(err)
	case kind == frameError:
		return nil, errors.New(string(answer))
	case kind == frameOutput:
		return nil, &BoundError{Bound: Output}
	}
	return answer, nil
}

// running reports whether the process has not ended by itself, while it was idle.
func (p *process) running() bool {
	select {
	case <-p.Done():
		return false
	default:
		return true
	}
}

// stop ends the process and returns when it has ended.
func (p *process) stop() {
	p.gone = true
	p.Stop()
	_, _ = p.in.Close(), p.out.Close()
}

// ended tells why a process ended that should have answered: err is what the pipe says.
func (p *process) ended(err error) error {
	said, code := p.stderr.text.String(), 0
	if exit, ok := errors.AsType[*exec.ExitError](p.Err()); ok {
		code = exit.ExitCode()
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(said, w) })
	}
	switch {
	case code == exitMemory || has("out of memory", "cannot map pages", "cannot allocate memory", "errno=12"):
		return &BoundError{Bound: Memory}
	case code == exitTime:
		return &BoundError{Bound: Time}
	case has("stack overflow", "stack exceeds"):
		return &BoundError{Bound: Stack}
	case said != "":
		err = errors.New(said)
	case p.Err() != nil:
		err = p.Err()
	}
	return fmt.Errorf("the rendering process ended: %w", err)
}

// head keeps the beginning of what is written: a fatal error of Go says first what it is. It must not be read before the process ended.
type head struct{ text strings.Builder }

func (h *head) Write(b []byte) (int, error) {
	h.text.Write(b[:min(len(b), max(0, 4<<10-h.text.Len()))])
	return len(b), nil
}
