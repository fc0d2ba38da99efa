// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// shardConfig is the Lease that says how keys are cut. Its holder is not a replica but all that cut alike; each of them may
// renew it for all.
type shardConfig struct {
	observed
	holder  string
	read    time.Time // before the last read or write that is known to have found this version
	unmoved bool      // it was not renewed between the last two reads
	until   time.Time // relied on until then; guarded by Shards.mu
}

// seeLayout notes what a read that was sent at a certain time found. A version that is newer than that of the read before
// was written after that one was sent: so long ago, at most, the others saw it. Who renewed it may wait for a shorter time
// than this replica does, and so may those who want to take it from him.
func (s *Shards) seeLayout(found *coordinationv1.Lease, sent time.Time) {
	l := s.layout
	before, known := l.read, l.object != nil && found != nil
	changed := l.see(found)
	l.unmoved = !changed
	l.read = sent
	if l.observed.holder() != l.holder {
		s.rely(time.Time{})
	} else if changed && known {
		s.rely(before.Add(min(s.o.renewDeadline(), deadlineOf(l.said()))))
	}
}

// rely sets until when the layout is relied on; the zero time means no longer.
func (s *Shards) rely(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !until.IsZero() && !until.After(s.layout.until) {
		return
	}
	s.layout.until = until
	for _, sh := range s.shards {
		s.rewind(sh)
	}
}

// cutAlike reports whether this replica may work at all.
func (s *Shards) cutAlike() bool {
	if s.layout == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.passed(s.layout.until)
}

// renewLayout renews the Lease of all if no other replica did, and takes it if it is free.
func (s *Shards) renewLayout() error {
	l := s.layout
	if l == nil || !l.free(l.holder, s.o.LeaseDuration) {
		return nil
	}
	s.mu.Lock()
	enough := !l.unmoved && time.Until(l.until) > s.o.renewDeadline()/2
	s.mu.Unlock()
	if enough {
		return nil
	}
	sent, taken, err := s.take(&l.observed, l.holder, nil)
	if taken {
		l.read = sent
		s.rely(sent.Add(s.o.renewDeadline()))
	}
	return err
}
