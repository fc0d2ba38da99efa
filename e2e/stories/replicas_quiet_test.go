// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
)

// rounds is how often the work of a quiet fleet is looked at before it counts as wrong. On a machine that is busy, leases run
// out now and then, and what was gained is reconciled once more.
const rounds = 10

// quiet changes all objects while no replica comes or goes. Each replica has its part in them, and each change is reconciled by
// one replica, once for the change and at most once more for the status that was written.
func (f *fleet) quiet(unit func(key string) string) {
	f.Helper()
	var odd []string
	for range rounds {
		f.atRest()
		before, gained, first := f.holders(), f.gained(), f.hook.count()
		f.change()
		f.settled()
		calls := f.hook.since(first)
		if after := f.holders(); !maps.Equal(before, after) || f.gained() != gained {
			odd = []string{fmt.Sprintf("leases move: %v, then %v; shards are gained %d times", before, after, f.gained()-gained)}
			continue
		}
		if odd = f.oddities(calls, unit); len(odd) == 0 {
			return
		}
	}
	for _, each := range odd {
		f.Error(each)
	}
}

// gained is how often a shard was gained so far. The holder of a lease alone does not show it: a replica whose lease ran out
// gains it again if no other was faster.
func (f *fleet) gained() (times int) {
	for _, replica := range f.replicas {
		times += strings.Count(replica.text(), "Shard gained")
	}
	return times
}

// oddities are what is not as it should be in the calls that a change of all objects led to.
func (f *fleet) oddities(calls []hookCall, unit func(key string) string) (odd []string) {
	owner, times, busy := map[string]string{}, map[string]int{}, map[string]bool{}
	for _, call := range calls {
		if call.revision != f.revision {
			continue // it was read before the change
		}
		u := unit(call.key)
		if owner[u] == "" {
			owner[u] = call.replica
		}
		if owner[u] != call.replica {
			odd = append(odd, fmt.Sprintf("%s is worked on by %s and %s", u, owner[u], call.replica))
		}
		if times[call.key]++; times[call.key] > 2 {
			odd = append(odd, fmt.Sprintf("%s is reconciled %d times for one change and one status", call.key, times[call.key]))
		}
		busy[call.replica] = true
	}
	if len(times) != len(f.keys) {
		odd = append(odd, fmt.Sprintf("%d of %d keys are worked on", len(times), len(f.keys)))
	}
	if len(busy) != len(f.replicas) {
		odd = append(odd, fmt.Sprintf("of %v only %v work", f.names(), busy))
	}
	return odd
}

var depthMetric = regexp.MustCompile(`(?m)^workqueue_depth\{[^}]*\} ([0-9]+)$`)

// atRest waits until the queues are empty and no replica has reconciled anything between some looks at them: after leases have
// moved, the new holders reconcile what they got.
func (f *fleet) atRest() {
	f.Helper()
	last, same := -1, 0
	f.until("nothing is reconciled any more", func() bool {
		sum, depth := 0, 0
		for _, name := range f.names() {
			sum += f.replicas[name].reconciles()
			for _, m := range depthMetric.FindAllStringSubmatch(f.replicas[name].probe("/metrics"), -1) {
				n, err := strconv.Atoi(m[1])
				f.check(err)
				depth += n
			}
		}
		if same++; sum != last || depth > 0 {
			same = 0
		}
		last = sum
		return same >= 3
	})
}
