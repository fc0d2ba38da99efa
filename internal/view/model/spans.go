// SPDX-License-Identifier: Apache-2.0

package model

import "iter"

// spans has the least and the greatest time of each so many records, so that a range of time is found without a look at
// all: records are in the order of Seq, and the time of one can be before that of the one before it.
type spans struct {
	dropped int // records, of the first span
	all     []span
	n       int // records, with those that were dropped
}

type span struct{ least, greatest int64 }

const spanLen = 1024

func (s *spans) add(t int64) {
	if s.n%spanLen == 0 {
		s.all = append(s.all, span{t, t})
	}
	last := &s.all[len(s.all)-1]
	last.least, last.greatest = min(last.least, t), max(last.greatest, t)
	s.n++
}

// drop forgets the n oldest records.
func (s *spans) drop(n int) {
	s.dropped += n
	whole := s.dropped / spanLen
	s.all = keepTail(s.all, whole)
	s.dropped -= whole * spanLen
	s.n -= whole * spanLen
}

// within yields the ranges of indexes, of held records, that can have a time from one to another.
func (s *spans) within(from, to int64, held int) iter.Seq2[int, int] {
	return func(yield func(first, last int) bool) {
		for i, at := range s.all {
			if at.greatest < from || at.least > to {
				continue
			}
			first := max(0, i*spanLen-s.dropped)
			if !yield(first, min(held, (i+1)*spanLen-s.dropped)) {
				return
			}
		}
	}
}
