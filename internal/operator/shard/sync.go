// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
)

// atOnce bounds the requests that one replica has open. It is large, since one that hangs must not hold up the others.
const atOnce = 32

// together does something to several shards, and returns all errors.
func together(shards []*shard, do func(*shard) error) error {
	failed := make([]error, len(shards))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, sh := range shards {
		group.Go(func() error { failed[i] = do(sh); return nil })
	}
	_ = group.Wait() // it is never told of an error: all are kept, not the first alone
	return errors.Join(failed...)
}

// see notes what was found. A shard that another one holds by now is lost, however long it could be relied on: its
// Lease was removed or changed by hand.
func (s *Shards) see(found map[string]*coordinationv1.Lease, sent time.Time) {
	if s.layout != nil {
		s.seeLayout(found[s.layout.name], sent)
		s.seeMembers(found)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sh := range s.shards {
		sh.see(found[sh.name])
		if sh.term != nil && sh.holder() != s.identity {
			s.lose(sh)
		}
	}
}

// pick returns the shards that something is true of, asked under the lock.
func (s *Shards) pick(from []*shard, is func(*shard) bool) []*shard {
	s.mu.Lock()
	defer s.mu.Unlock()
	var picked []*shard
	for _, sh := range from {
		s.expire(sh)
		if is(sh) {
			picked = append(picked, sh)
		}
	}
	return picked
}

func isHeld(sh *shard) bool { return sh.term != nil }

// renew renews all that is held, and the Leases that are not a shard's.
func (s *Shards) renew(ending bool) error {
	var group errgroup.Group
	var member, cut error
	group.Go(func() error {
		if ending {
			member = s.leave()
		} else {
			member = s.join()
		}
		return nil
	})
	group.Go(func() error { cut = s.renewLayout(); return nil })
	shards := together(s.pick(s.shards, isHeld), func(sh *shard) error {
		sent, taken, err := s.take(&sh.observed, s.identity, nil)
		if taken {
			s.extend(sh, sent)
		}
		return err
	})
	_ = group.Wait() // see together
	return errors.Join(member, cut, shards)
}

// drain lets no more begin in what is held beyond the share, those first that are farthest from it, and lets it begin
// again in what was to be given back and is now wanted.
func (s *Shards) drain(ordered []*shard, count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, wanted := range []bool{true, false} { // what is in use stays before what drains already comes back
		for _, sh := range ordered {
			if sh.term == nil || sh.draining == wanted {
				continue
			}
			if count > 0 {
				count--
				if sh.draining {
					sh.draining = false
					s.calls.Go(func() { s.o.Gained(sh.index) }) // its keys were dropped meanwhile
				}
				continue
			}
			sh.draining = true
		}
	}
}

// giveBack releases what is drained, and what bears this replica's name although it does not hold it and does not want it:
// the answer to a request was lost, or a renewal came too late.
func (s *Shards) giveBack(ordered []*shard, count int) error {
	kept := len(s.pick(ordered, func(sh *shard) bool { return sh.term != nil && !sh.draining }))
	return together(s.pick(ordered, func(sh *shard) bool {
		if sh.holder() != s.identity || sh.begun > 0 {
			return false
		}
		if sh.term != nil {
			if sh.draining {
				s.finish(sh) // before the request: Begin must refuse when others may begin
				return true
			}
			return false
		}
		kept++
		return kept > count
	}), func(sh *shard) error {
		released, err := s.release(&sh.observed)
		if released {
			s.o.Log.Info("Shard released", "shard", sh.index, "lease", sh.name)
		}
		return err
	})
}

// gain takes what is free, up to the share.
func (s *Shards) gain(ordered []*shard, count int) error {
	count -= len(s.pick(ordered, func(sh *shard) bool { return sh.term != nil && !sh.draining }))
	free := s.pick(ordered, func(sh *shard) bool {
		if count <= 0 || sh.term != nil || !sh.free(s.identity, s.o.LeaseDuration) {
			return false
		}
		count--
		return true
	})
	return together(free, func(sh *shard) error {
		sent, taken, err := s.take(&sh.observed, s.identity, nil)
		if taken {
			s.hold(sh, sent)
		}
		return err
	})
}
