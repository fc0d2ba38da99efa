// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"time"
)

// lease is the time for which a shard is held, as the context of what is begun in it.
type lease struct {
	context.Context
	end   context.CancelCauseFunc
	timer *time.Timer
	check func()
}

// Err looks at the clock itself: after a process was stopped for a while, its timers may come later than what asks here.
func (t *lease) Err() error {
	t.check()
	return t.Context.Err()
}

// passed tells that a time has come, by either clock: the monotonic one stands still while the machine is suspended, and the other
// one may be set back.
func (s *Shards) passed(until time.Time) bool {
	return !time.Now().Before(until) || !s.wall().Before(until.Round(0))
}

func wallClock() time.Time { return time.Now().Round(0) }

// relied is until when a shard may be relied on.
func (s *Shards) relied(sh *shard) time.Time {
	if s.layout != nil && s.layout.until.Before(sh.until) {
		return s.layout.until
	}
	return sh.until
}

// hold begins a term, unless the answer came so late that there is nothing left to rely on.
func (s *Shards) hold(sh *shard, sent time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh.until = sent.Add(s.o.renewDeadline())
	if s.passed(s.relied(sh)) {
		return
	}
	t := &lease{}
	t.Context, t.end = context.WithCancelCause(context.Background())
	t.check = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if sh.term == t {
			s.expire(sh)
		}
	}
	sh.term, sh.draining = t, false
	t.timer = time.AfterFunc(time.Until(s.relied(sh)), func() {
		s.whilePaused()
		t.check()
	})
	s.o.Log.Info("Shard gained", "shard", sh.index, "lease", sh.name)
	s.calls.Go(func() { s.o.Gained(sh.index) })
}

// extend prolongs a term. One that ended meanwhile is over: what was dropped since then has to be enqueued again.
func (s *Shards) extend(sh *shard, sent time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(sh)
	if until := sent.Add(s.o.renewDeadline()); sh.term != nil && until.After(sh.until) {
		sh.until = until
		s.rewind(sh)
	}
}

// rewind sets the timer to what is relied on now. The caller holds mu.
func (s *Shards) rewind(sh *shard) {
	if sh.term != nil {
		sh.term.timer.Reset(time.Until(s.relied(sh)))
	}
}

// expire ends a term whose time is over. The caller holds mu.
func (s *Shards) expire(sh *shard) {
	if sh.term != nil && s.passed(s.relied(sh)) {
		s.lose(sh)
	}
}

// lose ends a term, and all that was begun in it. The caller holds mu.
func (s *Shards) lose(sh *shard) {
	s.o.Log.Warn("Shard lost; other replicas work on its keys", "shard", sh.index, "lease", sh.name, "err", ErrLost)
	s.finish(sh)
	s.wakeUp()
}

// finish ends a term, in which nothing is going on if all is well. The caller holds mu.
func (s *Shards) finish(sh *shard) {
	sh.term.timer.Stop()
	sh.term.end(ErrLost)
	sh.term, sh.draining = nil, false
}

func (s *Shards) whilePaused() {
	if s.paused != nil {
		s.paused()
	}
}
