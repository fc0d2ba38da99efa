package run

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/scratch"
	"github.com/crdctl/crdctl/internal/watch"
)

// graceTime is how long a controller may take to finish what it does.
const graceTime = 20 * time.Second

// devLoop builds and runs the project's controller, and does so again on every change. One goroutine does it all;
// what it waits for are a change, the end of the controller, the end of the control plane, and the end of the run.
type devLoop struct {
	Options
	target *target
	say    sayer

	installed []*apiextv1.CustomResourceDefinition
	dir       string // for binaries
	child     *proc.Process
	running   [sha256.Size]byte // of the binary that child runs
}

func (d *devLoop) run(ctx context.Context) (err error) {
	dir, err := scratch.New(os.TempDir(), scratch.RunPrefix)
	if err != nil {
		return err
	}
	d.dir = dir.Path
	defer func() { err = errors.Join(err, dir.Remove()) }()
	// The controller ends before the control plane does, whatever happens.
	defer d.stopChild()

	watcher, err := watch.New(d.Root, d.Project.CRDs.Dir)
	if err != nil {
		return err
	}
	defer watcher.Close()
	ctx, stop := d.target.boundTo(ctx)
	defer stop()

	err = d.follow(ctx, watch.Change{Sources: []string{"go.mod"}})
	for {
		if ctx.Err() != nil {
			return d.target.failure()
		}
		if err != nil {
			d.say("%v", err)
			if d.Once {
				return errors.New("the controller does not run; mend that and run again")
			}
			if d.child != nil {
				d.say("the controller that was built last goes on running; waiting for a change; stop with Ctrl-C")
			} else {
				d.say("waiting for a change; stop with Ctrl-C")
			}
		}
		select {
		case <-ctx.Done():
		case c := <-watcher.Changes:
			err = d.follow(ctx, c)
		case err := <-watcher.Errors:
			return err
		case <-d.childDone():
			err = describe(d.child.Err())
			d.child, d.running = nil, [sha256.Size]byte{}
		}
	}
}

// follow does what a change asks for: generate, install, build, start.
func (d *devLoop) follow(ctx context.Context, c watch.Change) error {
	if c.In(d.Project.APIs) {
		if err := d.generate(ctx); err != nil {
			return err
		}
	}
	// Also when the sources changed: generate may have written manifests.
	if err := d.installCRDs(ctx); err != nil {
		return err
	}
	if len(c.Sources) == 0 {
		return nil
	}
	binary, sum, err := d.build(ctx)
	if err != nil {
		return err
	}
	if d.child != nil && sum == d.running {
		return nil // a comment, a test: the program is the same
	}
	d.stopChild()
	return d.start(binary, sum)
}

func (d *devLoop) start(binary string, sum [sha256.Size]byte) error {
	child, err := proc.Start(proc.Options{
		Path: binary, Args: d.Args, Dir: d.Root, Stdout: d.Out, Stderr: d.Err, Grace: graceTime,
		Env: controllerEnv(os.Environ(), d.target.kubeconfig),
	})
	if err != nil {
		return err
	}
	d.child, d.running = child, sum
	return nil
}

// controllerEnv is our environment with the one cluster that the controller may find in it: not that which the user's
// shell names, and not that in which crdctl itself happens to run.
func controllerEnv(ours []string, kubeconfig string) []string {
	env := slices.DeleteFunc(slices.Clone(ours), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "KUBECONFIG" || name == "KUBERNETES_SERVICE_HOST" || name == "KUBERNETES_SERVICE_PORT"
	})
	return append(env, "KUBECONFIG="+kubeconfig)
}

func (d *devLoop) stopChild() {
	if d.child == nil {
		return
	}
	d.say("stopping the controller")
	stopped := make(chan bool, 1)
	go func() { stopped <- d.child.Stop() }()
	slow := time.After(2 * time.Second)
	for ended := false; !ended; {
		select {
		case killed := <-stopped:
			if ended = true; killed {
				d.say("the controller did not stop within %s and was killed", graceTime)
			}
		case <-slow:
			d.say("waiting up to %s for the controller; Ctrl-C kills it", graceTime)
		case <-d.Hurry:
			d.child.Kill()
			<-stopped
			ended = true
		}
	}
	d.child, d.running = nil, [sha256.Size]byte{}
}

// childDone is closed when the controller has ended; it is nil, and so never ready, where none runs.
func (d *devLoop) childDone() <-chan struct{} {
	if d.child == nil {
		return nil
	}
	return d.child.Done()
}

// describe is the error of a controller that was not asked to end.
func describe(err error) error {
	if err == nil {
		return errors.New("the controller ended by itself, without an error")
	}
	return fmt.Errorf("the controller ended by itself: %w", err)
}
