package main

import (
	"fmt"
	"slices"
	"time"
)

const (
	// What a replica may hold more after a long time than after its first round: memory is never exactly the same.
	moreHeapShare = 0.2
	moreHeap      = 4 << 20
	moreRoutines  = 10
	moreFiles     = 8
)

// judge compares the first and the last state of each process that lived through more than one round, and what hooks there are.
func judge(states []holding) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	first, last := map[int]holding{}, map[int]holding{}
	var order []int
	for _, s := range states {
		if _, known := first[s.pid]; !known {
			first[s.pid] = s
			order = append(order, s.pid)
		}
		last[s.pid] = s
		if most := 1; s.hooks > most {
			say("replica %s has %d hook processes in round %d, when nothing is asked", s.replica, s.hooks, s.round)
		}
	}
	for _, pid := range order {
		a, b := first[pid], last[pid]
		from := fmt.Sprintf("replica %s, process %d, from round %d to %d:", a.replica, pid, a.round, b.round)
		if limit := uint64(float64(a.heap)*(1+moreHeapShare)) + moreHeap; b.heap > limit {
			say("%s the heap grew from %.2f to %.2f MB, at most %.2f are allowed", from, megabytes(a.heap), megabytes(b.heap), megabytes(limit))
		}
		if b.goroutines > a.goroutines+moreRoutines {
			say("%s goroutines grew from %d to %d", from, a.goroutines, b.goroutines)
		}
		if b.files > a.files+moreFiles {
			say("%s open files grew from %d to %d", from, a.files, b.files)
		}
	}
	return wrong
}

// overlaps finds calls for one key in two replicas at the same time. One replica may call twice: it gives a call up at once when it
// loses the lease, which a hook that goes on with it is not told, and may have the lease again a moment later.
func overlaps(spans []span, pauses map[string][]time.Time, longest time.Duration) (found []string) {
	byKey := map[string][]span{}
	for _, s := range spans {
		if limit := s.begin.Add(longest); s.end.After(limit) {
			s.end = limit // the replica gave the call up, whatever the hook noted later
		}
		for _, at := range pauses[s.replica] {
			if !at.Before(s.begin) && at.Before(s.end) {
				s.end = at
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
