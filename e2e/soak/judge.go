package main

import "fmt"

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
