// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"time"
)

// ledger has the calls that are under way, and finds those for one key in two replicas at the same time. One replica may call twice: it
// gives a call up at once when it loses the lease, which a hook that goes on with it is not told, and may have the lease again a
// moment later.
type ledger struct {
	wrong       func(string, ...any)
	works       map[string][]*work   // by key
	paused      map[string]time.Time // when a replica was last frozen
	calls       int
	overlapping int
}

// work is a call.
type work struct {
	replica, key string
	began        time.Time
}

func newLedger(wrong func(string, ...any)) ledger {
	return ledger{wrong: wrong, works: map[string][]*work{}, paused: map[string]time.Time{}}
}

// begin notes a call.
func (l *ledger) begin(replica, key string, now time.Time) *work {
	for _, w := range l.works[key] {
		// A replica gives a call up after hookPatience, and does not answer for what its hook does while it is frozen.
		if w.replica != replica && now.Before(w.began.Add(hookPatience)) && !l.paused[w.replica].After(w.began) {
			l.overlapping++
			l.wrong("%s in two calls at once: in replica %s from %s, and in %s from %s", key, w.replica, clock(w.began), replica, clock(now))
		}
	}
	l.calls++
	w := &work{replica, key, now}
	l.works[key] = append(l.works[key], w)
	return w
}

// end notes that a call has ended, in one way or another.
func (l *ledger) end(w *work) {
	l.works[w.key] = slices.DeleteFunc(l.works[w.key], func(other *work) bool { return other == w })
}

func clock(t time.Time) string { return t.Format("15:04:05.000") }
