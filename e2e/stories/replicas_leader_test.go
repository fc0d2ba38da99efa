// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"slices"
	"sync"

	"github.com/stretchr/testify/assert"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// leaderElection: one works and the others stand by. One that is killed is replaced when its lease has run out, one that
// ends hands its lease over when what it does is done.
func leaderElection(f *fleet) {
	first := f.join("first")
	f.balanced(1)
	f.settled()
	second := f.join("second")
	f.balanced(1) // both are ready, the one that stands by included
	assert.Equal(f, []string{f.name}, first.held(), "the first holds: %s", f.name)
	before := f.hook.count()
	f.change()
	f.settled()
	for _, call := range f.hook.since(before) {
		assert.Equal(f, "first", call.replica, "works while it stands by")
	}
	assert.Zero(f, second.reconciles(), "the one that stands by counts: reconciles")

	f.kill("first")
	f.change()
	f.settled()
	f.balanced(1)
	assert.Equal(f, []string{f.name}, second.held(), "the second holds: %s", f.name)

	f.join("third")
	f.balanced(1)
	holders := f.watchHolders()
	release := f.hook.hold(f.keys[0])
	defer release() // or the server would not end
	count := f.hook.count()
	f.change()
	held := f.callAbout(f.keys[0], count)
	f.leave("second") // in the middle of that: the call is broken off, and the next one makes it again
	f.until("the call ended", func() bool { return f.hook.since(held.number - 1)[0].ended })
	assert.False(f, f.hook.since(held.number - 1)[0].answered, "the call about %s was not broken off", held.key)
	f.settled()
	f.balanced(1)
	// It was handed over, and not left to run out: between the two no replica holds the lease.
	if got := holders(); len(got) != 3 || got[0] == "" || got[1] != "" || got[2] == "" || got[0] == got[2] {
		f.Errorf("holders of the lease: %q, want one, none and another one", got)
	}
	f.leave("third")
	for lease, holder := range f.holders() {
		assert.Empty(f, holder, "after the last replica has left, %s is held by", lease)
	}
}

// watchHolders collects the holders of the fleet's lease from now on, until what it returns is called.
func (f *fleet) watchHolders() (stop func() []string) {
	f.Helper()
	leases := f.client.CoordinationV1().Leases("default")
	now, err := leases.Get(f.Context(), f.name, metav1.GetOptions{})
	f.check(err)
	w, err := leases.Watch(f.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + f.name, ResourceVersion: now.ResourceVersion})
	f.check(err)
	holders := []string{holderOf(now)}
	var reader sync.WaitGroup
	reader.Go(func() {
		for event := range w.ResultChan() {
			if lease, ok := event.Object.(*coordinationv1.Lease); ok {
				holders = append(holders, holderOf(lease))
			}
		}
	})
	f.Cleanup(w.Stop)
	return func() []string {
		w.Stop()
		reader.Wait()
		return slices.Compact(holders)
	}
}
