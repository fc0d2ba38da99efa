// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Replicas that share objects: whatever happens to one of them, no two work on one key at the same time, and all that was
// changed meanwhile is reconciled.
func TestReplicas(t *testing.T) {
	w := newWorld(t)
	dir, _ := w.plane()
	t.Run("fleets", func(t *testing.T) { // ends when all of them have
		t.Run("leader", func(t *testing.T) {
			t.Parallel()
			leaderElection(newFleet(t, dir, "leds", 2, 6, "--leader-elect"))
		})
		t.Run("by key", func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, dir, "keys", 4, 12, "--shards", "8")
			sharding(f, true, func(key string) string { return key })
		})
		t.Run("by namespace", func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, dir, "spaces", 16, 3, "--shards", "8", "--shard-by", "namespace")
			sharding(f, false, func(key string) string { return key[:len("spaces-")] + key[len("spaces-"):len(key)-len("/w-0")] })
		})
	})
}

const fleetShards = 8

// sharding is the life of a fleet whose keys are cut into shards; unit is what of a key is never divided. What replicas do to each
// other does not depend on how keys are cut: one fleet shows it.
func sharding(f *fleet, faults bool, unit func(key string) string) {
	for _, name := range []string{"a", "b", "c"} {
		f.join(name)
	}
	f.balanced(fleetShards)
	f.settled()
	f.quiet(unit)
	if !faults {
		f.goes("c", unit)
		return
	}

	f.kill("a") // what it held is taken when its leases have run out
	f.change()
	f.settled()
	f.balanced(fleetShards)
	f.quiet(unit)

	f.frozen("b")
	f.balanced(fleetShards)
	f.quiet(unit)

	f.join("d")
	f.change()
	f.settled()
	f.balanced(fleetShards)
	f.quiet(unit)

	f.goes("c", unit)
}

// goes ends a replica in order, in the middle of its work: what it gives up, the others do. Then it ends the others.
func (f *fleet) goes(name string, unit func(key string) string) {
	f.Helper()
	f.change()
	f.leave(name)
	f.settled()
	f.balanced(fleetShards)
	f.quiet(unit)

	for _, name := range f.names() {
		f.leave(name)
	}
	for lease, holder := range f.holders() {
		assert.Empty(f, holder, "after the last replica has left, %s is held by", lease)
	}
	f.leavesNothing(f.world.dir)
}

// frozen stops a replica while it waits for a hook's answer, longer than its leases last. Others take over. When it goes on,
// with the answer there already, it must not write it.
func (f *fleet) frozen(name string) {
	f.Helper()
	written := f.watchStatuses()
	held, release := f.holdCallOf(name)
	defer release() // or the server would not end
	key := held.key
	f.hook.excuse(name, true)
	f.replicas[name].signal(syscall.SIGSTOP)
	f.change()
	f.settled() // by the others, what the stopped one held included
	release()
	f.until("the answer was sent", func() bool { return f.hook.since(held.number - 1)[0].ended })
	assert.True(f, f.hook.since(held.number - 1)[0].answered, "the stopped replica gave up on its call, which shows nothing")
	f.hook.excuse(name, false)
	f.replicas[name].seen = len(f.replicas[name].text())
	f.replicas[name].signal(syscall.SIGCONT)
	f.replicas[name].waitFor("Shard lost")
	f.replicas[name].waitFor("Shard gained")
	f.change(key)
	f.settled()
	assert.False(f, written(held.number), "%s wrote the status of %s that it got after it had lost the key", name, key)
}

// holdCallOf changes an object of a replica's, and has it wait for the hook's answer.
func (f *fleet) holdCallOf(name string) (held hookCall, release func()) {
	f.Helper()
	for {
		key, first := f.keyOf(name), f.hook.count()
		release = f.hook.hold(key)
		f.change(key)
		if held = f.callAbout(key, first); held.replica == name {
			return held, release
		}
		release() // its lease ran out, on a machine that is very busy
		f.balanced(fleetShards)
		f.settled()
	}
}

// callAbout waits for a call about a key that goes on, one after the first so many.
func (f *fleet) callAbout(key string, after int) (found hookCall) {
	f.Helper()
	f.until("the hook is asked about "+key, func() bool {
		for _, call := range f.hook.since(after) {
			if call.key == key && !call.ended {
				found = call
			}
		}
		return found.number != 0
	})
	return found
}

// keyOf is one that a replica worked on last.
func (f *fleet) keyOf(name string) string {
	f.Helper()
	calls := f.hook.since(0)
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].replica == name {
			return calls[i].key
		}
	}
	f.Fatalf("%s never worked", name)
	return ""
}
