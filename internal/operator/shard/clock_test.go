// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/crdctl/crdctl/internal/operator/operatortest"

	"github.com/stretchr/testify/assert"
)

// A machine that was suspended goes on as if no time had passed by the monotonic clock, and others have its keys by then.
func TestATermEndsByTheWallClockToo(t *testing.T) {
	for _, shards := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) { // not watched: who watches asks
			w := &observer{store: newStore(), t: t}
			a := start(t, w, "a", shards, ByKey)
			defer a.stop()
			w.allHeld(shards, 5*time.Second)
			ctx, done, ok := a.Begin("ns", "x")
			defer done()
			a.jumped.Store(int64(time.Hour))
			if _, _, again := a.Begin("ns", "x"); !ok || again || ctx.Err() == nil || len(a.Held()) > 0 {
				t.Errorf("%d shards: an hour later by the wall clock %v are held; the claim: %v", shards, a.Held(), ctx.Err())
			}
		})
	}
}

func TestAWallClockThatIsSetBackChangesNothing(t *testing.T) {
	for _, shards := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			w := &observer{store: newStore(), t: t}
			a := start(t, w, "a", shards, ByKey)
			defer a.stop()
			w.allHeld(shards, 5*time.Second)
			ctx, done, _ := a.Begin("ns", "x")
			defer done()
			a.jumped.Store(-int64(time.Hour))
			time.Sleep(time.Minute)
			assert.NoError(t, ctx.Err(), "%d shards", shards)
			assert.Len(t, a.Held(), shards, "%d shards", shards)
			a.dead.Store(true)
			time.Sleep(DefaultRenewDeadline)
			assert.Error(t, ctx.Err(), "%d shards, after the deadline", shards)
			assert.Empty(t, a.Held(), "%d shards, after the deadline", shards)
			a.dead.Store(false)
		})
	}
}

// Who never had a lease has none to give back, and says what to do about it.
func TestWithoutAnyLeaseTheEndIsAtOnce(t *testing.T) {
	forbidden := apierrors.NewForbidden(leases, "loop", errors.New("no"))
	unreachable := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, refusal := range []error{forbidden, unreachable} {
		for _, shards := range []int{1, 3} {
			synctest.Test(t, func(t *testing.T) {
				w, log := &observer{store: newStore(), t: t}, operatortest.NewLog()
				r := &replica{name: "a", log: slog.New(log)}
				wrapped := fmt.Errorf("asked: %w", refusal)
				r.refusal.Store(&wrapped)
				a := startAs(t, w, r, shards, ByKey)
				time.Sleep(time.Minute)
				began := time.Now()
				a.stop()
				assert.Zero(t, time.Since(began), "%v", shards)
				want := "Leases are unreachable; retrying err="
				if errors.Is(refusal, forbidden) {
					want = "No permission to read and write leases in namespace ns; grant it (see docs/in-cluster.md) " +
						"or name another namespace with --lease-namespace; retrying err="
				}
				if said := log.Said(); len(said) != 1 || !strings.HasPrefix(said[0], want) {
					t.Errorf("%q", said)
				}
			})
		}
	}
}
