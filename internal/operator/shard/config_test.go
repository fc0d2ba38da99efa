// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A roll-out that changes how keys are cut: the replicas of the new kind wait until the last of the old kind is gone, in
// both directions, one shard (a leader) included. The observer checks that no two kinds work at the same time.
func TestRollOutOfAnotherLayout(t *testing.T) {
	type kind struct {
		shards int
		by     string
	}
	for _, c := range []struct{ old, next kind }{
		{kind{1, ByKey}, kind{4, ByKey}}, {kind{4, ByKey}, kind{1, ByKey}}, {kind{2, ByKey}, kind{5, ByKey}}, {kind{3, ByKey}, kind{3, ByNamespace}},
	} {
		simulate(t, 3, func(t *testing.T, w *observer) {
			start(t, w, "old-1", c.old.shards, c.old.by)
			start(t, w, "old-2", c.old.shards, c.old.by)
			w.allHeld(c.old.shards, 2*time.Minute) // now and then there is long work to wait for
			for _, r := range w.replicas[:2] {
				start(t, w, "new-of-"+r.name, c.next.shards, c.next.by)
				time.Sleep(30 * time.Second)
				for _, next := range w.replicas[2:] {
					// A leader that ends releases its Lease, and its standby may be later than the new ones. Then that one waits.
					if c.old.shards > 1 && len(next.Held()) > 0 || next.Ready() != nil {
						t.Errorf("%v to %v: %s holds %v beside the old ones, and its readiness is: %v", c.old, c.next, next.name, next.Held(), next.Ready())
					}
				}
				r.stop()
			}
			w.replicas = w.replicas[2:]
			took := w.allHeld(c.next.shards, 2*time.Minute)
			t.Logf("%v to %v: %v", c.old, c.next, took)
			assert.LessOrEqual(t, took, DefaultLeaseDuration+4*DefaultRetryPeriod+20*time.Second, "%v to %v: %v passed without work", c.old, c.next, took)
		})
	}
}

// The Lease of a leader that another program elects, without our labels, is respected too.
func TestALeaderOfAnotherProgram(t *testing.T) {
	simulate(t, 0, func(t *testing.T, w *observer) {
		holder, seconds := "scaffold", int32(60)
		if _, err := w.write(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "loop"},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds}}, true); err != nil {
			t.Fatal(err)
		}
		start(t, w, "a", 2, ByKey)
		// It said 60 seconds of itself, which is more than ours.
		assert.GreaterOrEqual(t, w.allHeld(2, 2*time.Minute), 58*time.Second, "taken after")
	})
}

// Replicas may differ in how long they wait. What one that waits for a short time has renewed is relied on for a short time:
// others take it from him as soon.
func TestALayoutThatIsRenewedForAShortTime(t *testing.T) {
	s := New(Options{Client: &client{}, Namespace: "ns", Name: "loop", Identity: "a", Shards: 2})
	first := time.Now()
	for i, seconds := range []int32{3, 3, 60} {
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{ResourceVersion: strconv.Itoa(i)},
			Spec: coordinationv1.LeaseSpec{HolderIdentity: &s.layout.holder, LeaseDurationSeconds: &seconds}}
		s.seeLayout(lease, first.Add(time.Duration(i)*time.Second))
		if got, want := s.layout.until, []time.Time{{}, first.Add(2 * time.Second), first.Add(11 * time.Second)}[i]; !got.Equal(want) {
			t.Errorf("after look %d it is relied on for %v, want %v", i, got.Sub(first), want.Sub(first))
		}
	}
}
