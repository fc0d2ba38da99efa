// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// TestMain is also the process that Stop stops, when it is called as Start calls that.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "cluster" {
		os.Exit(serveNothing(os.Args[4]))
	}
	os.Exit(safefstest.Run(m))
}

// serveNothing is Serve without a control plane.
func serveNothing(root string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	dir, err := state.CreateCluster(root)
	if err == nil {
		defer func() { _ = dir.Close() }()
		var holder *os.File
		if holder, err = hold(ctx, dir); err == nil {
			defer func() { _ = holder.Close() }()
			err = note(holder, time.Now(), readyMark)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	<-ctx.Done()
	return 0
}
