// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"time"

	"github.com/crdctl/crdctl/internal/operator/controller"
	"github.com/crdctl/crdctl/internal/startup/trim"
)

const (
	// calmLook is how often giveBack looks whether the start is over.
	calmLook = 100 * time.Millisecond
	// calmLimit is when it does not wait any longer: a queue may never be empty.
	calmLimit = 30 * time.Second
)

// giveBack calls free once, when all objects are known and reconciled: the collector would keep the memory that this needed
// for minutes, for a second time that does not come.
func giveBack(ctx context.Context, s controller.State, free func()) {
	tick := time.NewTicker(calmLook)
	defer tick.Stop()
	var known time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch {
		case s.Ready() != nil:
		case known.IsZero():
			known = time.Now() // the handlers may still be filling the queue
		case s.Waiting() == 0 || time.Since(known) >= calmLimit:
			free()
			return
		}
	}
}

// free gives back what the start needed: memory, and the pages of the program that the collector and the start went through. Where the
// control plane is in this process, it goes on needing them.
func (c *instance) free() {
	trim.Heap()
	if !c.Own {
		trim.Program()
	}
}
