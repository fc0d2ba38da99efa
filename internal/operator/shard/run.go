// SPDX-License-Identifier: Apache-2.0

package shard

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Run competes for shards until ctx is done. Then nothing new begins; it returns when what was begun is done and the
// Leases are released; nothing is asked for if there never was any. When those cannot be reached it gives up on that after RenewDeadline, and they run out by themselves.
func (s *Shards) Run(ctx context.Context) {
	defer s.calls.Wait()
	for ctx.Err() == nil {
		s.look(false)
		s.wait(ctx.Done())
	}
	if !s.wrote.Load() {
		return // there is nothing to release, and who may not write Leases would wait in vain
	}
	var tried time.Time
	for {
		clean := s.look(true)
		if s.idle() {
			if tried.IsZero() {
				tried = time.Now()
			}
			if clean || time.Since(tried) >= s.o.renewDeadline() {
				return
			}
		}
		s.wait(nil)
	}
}

// wait ends after about RetryPeriod. Without the jitter, replicas that started together would collide for ever.
func (s *Shards) wait(done <-chan struct{}) {
	timer := time.NewTimer(s.o.retryPeriod() - time.Duration(rand.Int64N(int64(s.o.retryPeriod())/5+1)))
	defer timer.Stop()
	select {
	case <-done:
	case <-s.wake:
	case <-timer.C:
	}
	s.whilePaused()
}

// look is one round: read the Leases, renew what is held, and take or give back what the share says. It reports whether
// there was no trouble and nothing is left to be released.
func (s *Shards) look(ending bool) (clean bool) {
	sent := time.Now()
	found, err := s.read()
	if err == nil {
		s.see(found, sent)
	}
	// Without a list this still goes on with the versions that were last seen.
	failed := []error{err, s.renew(ending)}
	left := 0
	if err == nil {
		first, count := 0, 0
		if !ending && s.cutAlike() {
			first, count = share(len(s.shards), s.members(), s.member.name)
		}
		ordered := s.inOrder(first)
		s.drain(ordered, count)
		failed = append(failed, s.giveBack(ordered, count), s.gain(ordered, count), s.prune())
	} else if ending {
		s.drain(s.shards, 0)
	}
	for _, sh := range s.shards {
		if sh.holder() == s.identity {
			left++
		}
	}
	return s.report(errors.Join(failed...)) && left == 0
}

// idle reports whether nothing is held and nothing is going on.
func (s *Shards) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sh := range s.shards {
		s.expire(sh)
		if sh.term != nil || sh.begun > 0 {
			return false
		}
	}
	return true
}

// report keeps what Ready says, and logs trouble when it begins and when it ends, and not each time.
func (s *Shards) report(err error) (good bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil && s.bad != nil && !s.good.IsZero():
		s.o.Log.Info("Leases are reachable again")
	case err != nil && (s.bad == nil || s.good.IsZero() && s.bad.Error() != err.Error()):
		what := "Leases are unreachable; retrying"
		if apierrors.IsForbidden(err) {
			what = "No permission to read and write leases in namespace " + s.o.Namespace +
				"; grant it (see docs/in-cluster.md) or name another namespace with --lease-namespace; retrying"
		}
		s.o.Log.Warn(what, "err", err)
	}
	if s.bad = err; err == nil {
		s.good = time.Now()
	}
	return err == nil
}
