// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/fswatch"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/startup"
	"github.com/crdctl/crdctl/internal/startup/trim"
)

// ErrRunning is the error of a second start.
var ErrRunning = errors.New("the control plane of this project is running already; see \"crdctl cluster status\"")

const (
	startPatience = 2 * time.Minute
	stopPatience  = 30 * time.Second
	lookPatience  = 500 * time.Millisecond
)

// Serve is what the process in the background does: it runs the project's control plane until the context ends, and says
// on log what happens. The options' Dir is decided here. started is called when the control plane is ready; it can be nil.
func Serve(ctx context.Context, root string, o controlplane.Options, started func(*controlplane.ControlPlane), log io.Writer) (err error) {
	say := func(format string, args ...any) {
		_, _ = fmt.Fprintf(log, time.Now().Format(time.RFC3339)+" "+format+"\n", args...)
	}
	dir, err := state.CreateCluster(root)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	at := stateOf(root)
	holder, err := hold(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, holder.Close()) }()
	if err := empty(dir, state.LogName); err != nil { // of the last time; the process that started this one appends to it
		return err
	}
	began := time.Now()
	if err := note(holder, began, ""); err != nil {
		return err
	}
	say("starting")
	o.Dir = at.Data
	startCtx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	plane, err := controlplane.Start(startCtx, o)
	if err != nil {
		return err
	}
	startup.Done()
	trim.Server(ctx)
	defer func() {
		say("stopping")
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
		defer cancel()
		err = errors.Join(err, plane.Stop(stopCtx))
		say("stopped")
	}()
	if started != nil {
		started(plane)
	}
	if err := note(holder, began, readyMark); err != nil {
		return err
	}
	say("ready at %s", plane.URL())
	select {
	case <-ctx.Done():
		return nil
	case <-plane.Done():
		return fmt.Errorf("the control plane stopped: %w", cmp.Or(plane.Err(), errors.New("its API server stopped; start it again with \"crdctl cluster start -v 2\" to see what it logs")))
	case path := <-fswatch.Moved(ctx, root, filepath.Join(at.Data, state.HolderName)):
		return fmt.Errorf("%s was moved or removed while its control plane was running; start it again from its new location", path)
	}
}

// hold locks the file of the process. One that looks whether it is locked shares it for an instant, hence the patience.
func hold(ctx context.Context, dir *safefs.Dir) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	// What a killed process wrote must not count as written by this one. It is read only while the file is locked for
	// one process alone, and goes while that is impossible.
	shared, err := lockHolder(ctx, dir, true)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(shared.Truncate(0), shared.Close()); err != nil {
		return nil, err
	}
	return lockHolder(ctx, dir, false)
}

func lockHolder(ctx context.Context, dir *safefs.Dir, shared bool) (*os.File, error) {
	f, err := dir.OpenFile(state.HolderName, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		err := safefs.TryLock(f, shared)
		if errors.Is(err, safefs.ErrLocked) {
			return false, nil
		}
		return err == nil, err
	})
	switch {
	case err == nil:
		return f, nil
	case ctx.Err() != nil:
		err = ErrRunning
	default:
		err = fmt.Errorf("lock the control plane's directory: %w", err)
	}
	_ = f.Close() // the first error says more
	return nil, err
}

// empty truncates a file, if it exists.
func empty(dir *safefs.Dir, name string) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return f.Close()
}

// note writes which process holds the file, for Look. The second line of a process is longer than its first, and replaces that.
func note(holder *os.File, since time.Time, ready string) error {
	line := fmt.Sprintf("%d %s%s\n", os.Getpid(), since.Format(time.RFC3339), ready)
	if _, err := holder.WriteAt([]byte(line), 0); err != nil {
		return fmt.Errorf("write %s: %w", holder.Name(), err)
	}
	return nil
}
