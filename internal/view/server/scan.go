// SPDX-License-Identifier: Apache-2.0

package server

import (
	"runtime"
	"slices"
	"sort"
)

// A scan is what a question found so far. One that is asked again, as the page does while records come, looks only at
// those that came since.
type scan[R any] struct {
	epoch int64 // of the session when it began
	next  int64 // records with a lower Seq were looked at
	found R
}

// scans are the scans that are held, those asked for last at the end.
type scans []heldScan

type heldScan struct {
	question string
	scan     any
}

const (
	maxScans  = 12   // of all endpoints
	scanChunk = 4096 // elements that are looked at before others get the session
)

func (s *scans) get(question string) any {
	i := slices.IndexFunc(*s, func(h heldScan) bool { return h.question == question })
	if i < 0 {
		return nil
	}
	h := (*s)[i]
	*s = append(slices.Delete(*s, i, i+1), h)
	return h.scan
}

func (s *scans) put(question string, scan any) {
	if s.get(question) != nil {
		*s = (*s)[:len(*s)-1]
	}
	if len(*s) == maxScans {
		*s = slices.Delete(*s, 0, 1)
	}
	*s = append(*s, heldScan{question, scan})
}

// scanned returns what a question found in all, which are by Seq. s.mu is held, but others get it between two chunks.
func scanned[A, R any](s *session, question string, start func() R, all func() []A, seq func(A) int64, take func(*R, A)) *R {
	c, ok := s.scans.get(question).(*scan[R])
	for {
		if !ok || c.epoch != s.epoch { // what was found may be forgotten
			c, ok = &scan[R]{epoch: s.epoch, found: start()}, true
			s.scans.put(question, c)
		}
		rest := all()
		rest = rest[sort.Search(len(rest), func(i int) bool { return seq(rest[i]) >= c.next }):]
		chunk := rest[:min(len(rest), scanChunk)]
		for _, a := range chunk {
			take(&c.found, a)
		}
		if len(chunk) > 0 {
			c.next = seq(chunk[len(chunk)-1]) + 1
		}
		if len(chunk) == len(rest) {
			return &c.found
		}
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
	}
}

// filtered returns the elements of all that a filter takes, and that were there when the client began to look.
func filtered[A any](s *session, q query, name string, all func() []A, seq func(A) int64, takes func(A) bool) []A {
	found := *scanned(s, q.filter(name), func() []A { return nil }, all, seq, func(found *[]A, a A) {
		if takes(a) {
			*found = append(*found, a)
		}
	})
	if q.held != 0 {
		found = found[:sort.Search(len(found), func(i int) bool { return seq(found[i]) > q.held })]
	}
	return found
}
