package main

import (
	"fmt"
	"slices"
	"time"
)

// pause is when a replica did not run: it was stopped, or killed and not there yet. What its hook was at then, it
// does not answer for.
type pause struct {
	replica string
	at      time.Time
}

// overlaps finds calls for one key in two replicas at the same time. One replica may call twice: it gives a call up at once when it
// loses the lease, which a hook that goes on with it is not told, and may have the lease again a moment later.
func overlaps(spans []span, pauses []pause, longest time.Duration) (found []string) {
	byKey := map[string][]span{}
	for _, s := range spans {
		if limit := s.begin.Add(longest); s.end.After(limit) {
			s.end = limit // the replica gave the call up, whatever the hook noted later
		}
		for _, p := range pauses {
			if p.replica == s.replica && !p.at.Before(s.begin) && p.at.Before(s.end) {
				s.end = p.at
			}
		}
		byKey[s.key] = append(byKey[s.key], s)
	}
	for key, all := range byKey {
		slices.SortFunc(all, func(a, b span) int { return a.begin.Compare(b.begin) })
		latest := map[string]span{} // by replica: the call that ends last
		for _, s := range all {
			for _, before := range latest {
				if before.replica != s.replica && s.begin.Before(before.end) {
					found = append(found, fmt.Sprintf("%s: in replica %s (hook %s) from %s to %s, and in %s (hook %s) from %s", key,
						before.replica, before.process, clock(before.begin), clock(before.end), s.replica, s.process, clock(s.begin)))
				}
			}
			if s.end.After(latest[s.replica].end) {
				latest[s.replica] = s
			}
		}
	}
	slices.Sort(found)
	return found
}

func clock(t time.Time) string { return t.Format("15:04:05.000") }
