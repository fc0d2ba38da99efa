package operator

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/crdctl/crdctl/internal/operator/controller"
)

// calm is how long after the first lists the memory is given back that they needed: the collector would keep it for
// minutes, for a second time that does not come.
const calm = 2 * time.Second

// giveBack waits until all objects are known, and for a moment longer, until the most of them are reconciled.
func giveBack(ctx context.Context, s controller.State) {
	tick := time.NewTicker(calm)
	defer tick.Stop()
	for known := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if known {
			debug.FreeOSMemory()
			return
		}
		known = s.Ready() == nil
	}
}
