// SPDX-License-Identifier: Apache-2.0

package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/run/hookpipe"
	"github.com/crdctl/crdctl/internal/run/observe"
	"github.com/crdctl/crdctl/internal/run/pod"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/workspace"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

// graceTime is how long a controller may take to finish what it does.
const graceTime = 20 * time.Second

// atOnce is within which time a program ends that does not know a flag.
const atOnce = 10 * time.Second

// controller is the process of the project's controller; the zero value is none.
type controller struct {
	process *proc.Process
	session *session // nil without a debugger
	hint    string   // why it may have ended, if it does
	early   string   // the same, if it does at once
	began   time.Time
	sum     [sha256.Size]byte // of its binary
}

// binary is a program that was built.
type binary struct {
	path string
	sum  [sha256.Size]byte
}

// digest is what a recording has of a binary.
func (b *binary) digest() string { return hex.EncodeToString(b.sum[:]) }

// binaryPrefix begins the names of binaries that run.
const binaryPrefix = "controller-"

func (c *controller) runs() bool { return c.process != nil }

func (c *controller) runsBinary(b *binary) bool { return c.process != nil && c.sum == b.sum }

// done is closed when the controller has ended; it is nil, and so never ready, where none runs.
func (c *controller) done() <-chan struct{} {
	if c.process == nil {
		return nil
	}
	return c.process.Done()
}

// ended forgets a controller that was not asked to end, and returns why it did.
func (c *controller) ended() error {
	err := c.process.Err()
	if c.session != nil {
		err = c.session.err()
	}
	hint := c.hint
	if time.Since(c.began) < atOnce {
		hint += c.early
	}
	*c = controller{}
	if err == nil {
		return errors.New("the controller exited without an error" + hint)
	}
	return fmt.Errorf("the controller exited: %w%s", err, hint)
}

func (d *devLoop) start(b *binary) error {
	args, env := d.command()
	hint := exitHint(d.Program, args) + d.installer.lacks(env) + d.installer.portTaken()
	path, signal := b.path, os.Signal(syscall.SIGTERM)
	if d.Debugger != nil {
		path, args, signal = d.Debugger.command(path, args)
	}
	observed := d.observe.Process(b.digest())
	stdout, stderr := d.outputs(observed)
	files, more, err := d.hook(observed)
	if err != nil {
		observed.Started(0)
		return err
	}
	defer closeAll(files)
	process, err := proc.Start(proc.Options{
		Path: path, Args: args, StopSignal: signal, Dir: d.Root, Stdout: stdout, Stderr: stderr, Files: files, Grace: graceTime,
		Env: append(env, more...), Mark: tempdir.Mark(d.dir),
	})
	if err != nil {
		observed.Started(0)
		return err
	}
	observed.Started(process.PID())
	d.child = controller{process: process, sum: b.sum, hint: hint, early: d.installer.unread() + electionHint(d.Program), began: time.Now()}
	if d.Debugger != nil {
		d.child.session = d.Debugger.follow(process, d.reporter)
	}
	d.removeBinaries(b)
	return nil
}

// exitHint is what a program with these arguments may lack, as its sources have it, if it ends by itself.
func exitHint(program *mainpkg.Program, args []string) string {
	named := func(arg string) bool { return !strings.HasPrefix(arg, "-") }
	switch {
	case program == nil:
		return ""
	case program.InClusterOnly:
		return "; it calls rest.InClusterConfig, which works only in a pod; clientcmd.BuildConfigFromFlags(\"\", os.Getenv(\"KUBECONFIG\")) works in both"
	case program.Subcommands && !slices.ContainsFunc(args, named):
		return "; if it needs a subcommand, name that: crdctl run -- SUBCOMMAND"
	}
	return ""
}

// namespaceFile is where a pod has its namespace.
const namespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// electionHint is why a program ends that elects a leader where only a pod can.
func electionHint(program *mainpkg.Program) string {
	if program == nil || !program.ElectsInPod {
		return ""
	}
	if _, err := os.Stat(namespaceFile); err == nil {
		return ""
	}
	return "; it always elects a leader, in the namespace that controller-runtime finds only in a pod: set LeaderElectionNamespace in its source, or write a namespace to " + namespaceFile
}

// outputs are where the controller writes.
func (d *devLoop) outputs(observed *observe.Process) (stdout, stderr io.Writer) {
	switch {
	case d.Controller != nil:
		both := observed.Output(d.Controller, "")
		return both, both
	case observed != nil && sameFile(d.Out, d.Err): // by one pipe, which keeps the order
		both := observed.Output(d.Err, "")
		return both, both
	}
	return observed.Output(sturdy(d.Out), "stdout"), observed.Output(sturdy(d.Err), "stderr")
}

// sameFile reports whether what is written to both goes to one file, pipe or terminal.
func sameFile(a, b io.Writer) bool {
	info := func(w io.Writer) os.FileInfo {
		f, ok := w.(*os.File)
		if !ok {
			return nil
		}
		info, err := f.Stat()
		if err != nil {
			return nil
		}
		return info
	}
	x, y := info(a), info(b)
	return x != nil && y != nil && os.SameFile(x, y)
}

// command returns the arguments and the environment of the controller.
func (d *devLoop) command() (args, env []string) {
	env = controllerEnv(os.Environ(), d.env)
	own := d.installer.args()
	d.installer.show(own, env)
	return pod.Expand(inOrder(d.Program, own, slices.Concat(d.Project.Controller.Args, d.Args)), env), env
}

// inOrder are the arguments of the run and those of the user, which come last and win, but for the subcommand that they may begin with: a program that
// reads it as its first argument takes no flag before it.
func inOrder(program *mainpkg.Program, own, users []string) []string {
	words := 0
	if program != nil && program.Subcommands && (len(own) == 0 || strings.HasPrefix(own[0], "-")) {
		for words < len(users) && !strings.HasPrefix(users[words], "-") {
			words++
		}
	}
	return slices.Concat(users[:words], own, users[words:])
}

// sturdy is where the controller writes: a terminal or a file itself, but a pipe by way of this process. A pipe whose reader
// is gone would kill the controller in the middle of its orderly end.
func sturdy(w io.Writer) io.Writer {
	f, ok := w.(*os.File)
	if !ok {
		return w
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(os.ModeNamedPipe|os.ModeSocket) == 0 {
		return w
	}
	return struct{ io.Writer }{w}
}

// removeBinaries removes those that will not run again: each is some 40 MB.
func (d *devLoop) removeBinaries(but *binary) {
	old, err := workspace.Glob(d.dir, binaryPrefix+"*")
	if err != nil {
		return
	}
	for _, path := range old {
		if path != but.path {
			_ = os.Remove(path) // the directory goes with the run
		}
	}
}

// controllerEnv is our environment with the one cluster that the controller may find in it: not that which the user's
// shell names, and not that in which crdctl itself happens to run; and without the pipe of another run. Of two settings of a variable, the
// last holds.
func controllerEnv(ours, more []string) []string {
	env := slices.DeleteFunc(slices.Clone(ours), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", hookpipe.Variable}, name)
	})
	return append(env, more...)
}

func (d *devLoop) stopChild() {
	if !d.child.runs() {
		return
	}
	d.reporter.Note("stopping the controller")
	process, session := d.child.process, d.child.session
	stopped := make(chan bool, 1)
	go func() {
		killed := session != nil && !session.end()
		stopped <- process.Stop() || killed
	}()
	slow := time.After(2 * time.Second)
	for ended := false; !ended; {
		select {
		case killed := <-stopped:
			if ended = true; killed {
				d.reporter.Note("the controller did not stop within %s and was killed", graceTime)
			}
		case <-slow:
			d.reporter.Note("waiting up to %s for the controller; Ctrl-C kills it", graceTime)
		case <-d.Hurry:
			if session != nil {
				session.kill()
			}
			process.Kill()
			<-stopped
			ended = true
		}
	}
	d.Controller.End()
	d.child = controller{}
}
