// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"net/rpc/jsonrpc"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/ui"
)

// Debugger has the controller run in Delve, which listens on 127.0.0.1 for editors and "dlv connect".
type Debugger struct {
	// Port is where it listens; 0 for a free one, the same for the whole run.
	Port int
	// Wait holds the controller at its start until a client of the debugger lets it go on.
	Wait bool

	said bool
}

// prepare finds the debugger and its port, before a control plane is started for nothing.
func (d *Debugger) prepare() (err error) {
	if _, err := exec.LookPath("dlv"); err != nil {
		return errors.New("--debug: dlv is not in PATH; install it with \"go install github.com/go-delve/delve/cmd/dlv@latest\", which puts it into bin below the directory that \"go env GOPATH\" prints, and add that to PATH")
	}
	if d.Port == 0 {
		d.Port, err = freePort()
		return err
	}
	l, err := net.Listen("tcp4", d.address())
	if err != nil {
		return fmt.Errorf("--debug-port: %w; use another port, or omit the flag", err)
	}
	return l.Close()
}

func (d *Debugger) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(d.Port)) }

// command runs a program in the debugger, which goes on when its clients leave. SIGINT ends it, with the program.
func (d *Debugger) command(program string, args []string) (path string, _ []string, stop os.Signal) {
	flags := []string{"exec", program, "--headless", "--accept-multiclient", "--api-version=2", "--check-go-version=false", "--listen=" + d.address(), "--"}
	return "dlv", append(flags, args...), os.Interrupt
}

const (
	// lookEvery is how often the debugger is asked whether the controller still runs.
	lookEvery = 200 * time.Millisecond
	// callTimeout bounds each question.
	callTimeout = 5 * time.Second
)

// session is a controller in the debugger.
type session struct {
	debugger *Debugger
	process  *proc.Process // of the debugger
	reporter ui.Reporter
	pid      atomic.Int64        // of the controller; 0 until it is known
	status   atomic.Pointer[int] // with which the controller ended by itself
}

// follow watches the controller: the debugger outlives it.
func (d *Debugger) follow(process *proc.Process, reporter ui.Reporter) *session {
	s := &session{debugger: d, process: process, reporter: reporter}
	if !d.said {
		d.said = true
		reporter.Note("debugger: attach with \"dlv connect %s\", or an editor's remote configuration for this address", d.address())
	}
	if d.Wait {
		reporter.Note("debugger: the controller waits at its start until you attach and let it continue")
	}
	go s.watch()
	return s
}

func (s *session) watch() {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for held := false; ; {
		select {
		case <-s.process.Exited():
			return
		case <-tick.C:
		}
		if s.pid.Load() == 0 {
			s.begin()
			continue
		}
		state, err := s.state()
		switch {
		case err != nil: // the next answer says more
		case state.Exited:
			s.status.Store(&state.ExitStatus)
			s.process.Stop()
			return
		case state.crashed() && !held:
			held = true
			s.reporter.Note("debugger: the controller crashed and is held where it did; attach to look at it, or save a fix")
		}
	}
}

// begin learns which process the controller is, as long as it is held at its start, and lets it go on. The debugger's own flag for
// that (--continue) leaves no time to ask, and one that runs has no answer. An error means that it is not listening yet.
func (s *session) begin() {
	var answer struct{ Pid int64 }
	client, err := s.dial()
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }()
	if err := client.Call("RPCServer.ProcessPid", struct{}{}, &answer); err != nil {
		return
	}
	if s.pid.Store(answer.Pid); !s.debugger.Wait { // the answer comes when it stops
		client.Go("RPCServer.Command", struct {
			Name string `json:"name"`
		}{"continue"}, &struct{}{}, nil)
	}
}

// debuggee is a part of what Delve's API tells of a program.
type debuggee struct {
	Running       bool
	Exited        bool
	ExitStatus    int
	CurrentThread *struct {
		BreakPoint *struct{ Name string }
	}
}

// crashed reports whether the program was stopped by one of the breakpoints that Delve sets itself.
func (s debuggee) crashed() bool {
	if s.Running || s.CurrentThread == nil || s.CurrentThread.BreakPoint == nil {
		return false
	}
	name := s.CurrentThread.BreakPoint.Name
	return name == "unrecovered-panic" || name == "runtime-fatal-throw"
}

// exited is the error of a question about a program that has ended.
var exited = regexp.MustCompile(`has exited with status (-?\d+)`)

func (s *session) state() (debuggee, error) {
	var answer struct{ State debuggee }
	client, err := s.dial()
	if err != nil {
		return debuggee{}, err
	}
	defer func() { _ = client.Close() }()
	if err = client.Call("RPCServer.State", struct{ NonBlocking bool }{true}, &answer); err != nil {
		if found := exited.FindStringSubmatch(err.Error()); found != nil {
			status, _ := strconv.Atoi(found[1])
			return debuggee{Exited: true, ExitStatus: status}, nil
		}
	}
	return answer.State, err
}

// dial makes a connection for a few questions.
func (s *session) dial() (*rpc.Client, error) {
	conn, err := net.DialTimeout("tcp4", s.debugger.address(), callTimeout)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(callTimeout)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return jsonrpc.NewClient(conn), nil
}

// err is how the controller ended; of the debugger's own end, where it does not know.
func (s *session) err() error {
	switch status := s.status.Load(); {
	case status == nil:
		return s.process.Err()
	case *status == 0:
		return nil
	default:
		return fmt.Errorf("exit status %d", *status)
	}
}

// kill kills a controller that has not ended. It is in a process group of its own, which the debugger's end does not reach everywhere.
func (s *session) kill() {
	pid := int(s.pid.Load())
	if pid == 0 || s.status.Load() != nil {
		return
	}
	if controller, err := os.FindProcess(pid); err == nil {
		_ = controller.Kill() // it may have ended
	}
}

// end asks a controller that runs to end in order, which the debugger would not, and reports whether it did.
func (s *session) end() (ended bool) {
	pid := int(s.pid.Load())
	now, err := s.state()
	if pid == 0 || err != nil || !now.Running {
		return true // it has ended, or it is held, and then cannot
	}
	controller, err := os.FindProcess(pid)
	if err != nil || controller.Signal(syscall.SIGTERM) != nil {
		return true
	}
	for late := time.After(graceTime); ; {
		select {
		case <-s.process.Exited():
			return true
		case <-late:
			return false
		case <-time.After(lookEvery / 4):
		}
		if now, err := s.state(); err == nil && !now.Running {
			return true
		}
	}
}
