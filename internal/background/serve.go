package background

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/startup"
	"github.com/crdctl/crdctl/internal/startup/trim"
	"github.com/crdctl/crdctl/internal/statedir"
	"github.com/crdctl/crdctl/internal/watch"
)

// ErrRunning is the error of a second start.
var ErrRunning = errors.New("the control plane of this project runs already; see \"crdctl cluster status\"")

const (
	startPatience = 2 * time.Minute
	stopPatience  = 30 * time.Second
	lookPatience  = 500 * time.Millisecond
)

// Serve is what the process in the background does: it runs the project's control plane until the context ends, and says
// on log what happens. The options' Dir is decided here.
func Serve(ctx context.Context, root string, o controlplane.Options, log io.Writer) (err error) {
	say := func(format string, args ...any) {
		_, _ = fmt.Fprintf(log, time.Now().Format(time.RFC3339)+" "+format+"\n", args...)
	}
	if err := statedir.MakeCluster(root); err != nil {
		return err
	}
	state := stateOf(root)
	holder := filepath.Join(state.Data, holderName)
	lock, err := hold(ctx, holder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	_ = os.Truncate(state.Log, 0) // of the last time; whoever started this appends to it
	began := time.Now()
	if err := note(holder, began, ""); err != nil {
		return err
	}
	say("starting")
	o.Dir = state.Data
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
	if err := note(holder, began, readyMark); err != nil {
		return err
	}
	say("ready at %s", plane.URL())
	select {
	case <-ctx.Done():
		return nil
	case <-plane.Done():
		return fmt.Errorf("the control plane ended by itself: %w", cmp.Or(plane.Err(), errors.New("its API server stopped; start it again with \"crdctl cluster start -v 2\" to see what it logs")))
	case path := <-watch.Moved(ctx, root, holder):
		return fmt.Errorf("%s was moved or removed while its control plane ran; start it again where it is now", path)
	}
}

// hold locks the file. Who looks whether it is locked shares it for an instant, hence the patience.
func hold(ctx context.Context, file string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	lock := flock.New(file, flock.SetPermissions(0o600))
	locked, err := lock.TryLockContext(ctx, pollInterval)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("lock the control plane's folder: %w", err)
	}
	if !locked {
		return nil, ErrRunning
	}
	// Who it was before, if that one was killed. It is read only while somebody has the lock.
	return lock, os.Truncate(file, 0)
}

// note writes who holds the file, for Look. The second line of a process is longer than its first, and replaces that.
func note(file string, since time.Time, ready string) error {
	line := fmt.Sprintf("%d %s%s\n", os.Getpid(), since.Format(time.RFC3339), ready)
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt([]byte(line), 0)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}
