// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/controller"
)

// starting is a loop that is at its start.
type starting struct {
	controller.State
	known   atomic.Bool
	waiting atomic.Int64
}

func (s *starting) Ready() error {
	if !s.known.Load() {
		return errors.New("not known yet")
	}
	return nil
}

func (s *starting) Waiting() int { return int(s.waiting.Load()) }

// Memory is given back when there is nothing more to do, and not while there is, but at some time at the latest; and once.
func TestGiveBack(t *testing.T) {
	for name, test := range map[string]struct {
		known, done time.Duration // 0 is never
		want        time.Duration
	}{
		"when all are reconciled":      {known: time.Second, done: 5 * time.Second, want: 5 * time.Second},
		"soon where nothing is to do":  {known: time.Second, done: time.Millisecond, want: time.Second + calmLook},
		"at last with endless work":    {known: time.Second, want: time.Second + calmLimit},
		"never where nothing is known": {done: time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				s, began := &starting{}, time.Now()
				s.waiting.Store(10)
				if test.known > 0 {
					time.AfterFunc(test.known, func() { s.known.Store(true) })
				}
				if test.done > 0 {
					time.AfterFunc(test.done, func() { s.waiting.Store(0) })
				}
				var freed []time.Duration
				done := make(chan struct{})
				go func() {
					defer close(done)
					giveBack(ctx, s, func() { freed = append(freed, time.Since(began)) })
				}()
				time.Sleep(time.Hour)
				stop()
				<-done
				if test.want == 0 {
					assert.Empty(t, freed)
					return
				}
				assert.Len(t, freed, 1)
				assert.InDelta(t, test.want, freed[0], float64(2*calmLook))
			})
		})
	}
}
