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

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"k8s.io/apimachinery/pkg/util/wait"

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
	holder, err := hold(ctx, filepath.Join(state.Data, holderName))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, holder.Close()) }()
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
	if err := note(holder, began, " ready"); err != nil {
		return err
	}
	say("ready at %s", plane.URL())
	select {
	case <-ctx.Done():
		return nil
	case <-plane.Done():
		return fmt.Errorf("the control plane ended by itself: %w", cmp.Or(plane.Err(), errors.New("its API server stopped")))
	case path := <-watch.Moved(ctx, root, holder.Name()):
		return fmt.Errorf("%s was moved or removed while its control plane ran; start it again where it is now", path)
	}
}

// hold locks the file. Who looks whether it is locked has it for an instant, hence the patience.
func hold(ctx context.Context, file string) (lock *fileutil.LockedFile, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	waited := wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		lock, err = fileutil.TryLockFile(file, os.O_CREATE|os.O_RDWR, 0o600)
		return !errors.Is(err, fileutil.ErrLocked), nil
	})
	if waited != nil {
		return nil, ErrRunning
	}
	if err != nil {
		return nil, fmt.Errorf("lock the control plane's folder: %w", err)
	}
	return lock, nil
}

// note writes who holds the file, for Look.
func note(holder *fileutil.LockedFile, since time.Time, ready string) error {
	line := fmt.Sprintf("%d %s%s\n", os.Getpid(), since.Format(time.RFC3339), ready)
	if _, err := holder.WriteAt([]byte(line), 0); err != nil {
		return fmt.Errorf("write %s: %w", holder.Name(), err)
	}
	return holder.Truncate(int64(len(line)))
}
