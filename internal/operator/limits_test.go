// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
)

// A cluster that is not crdctl's own decides when a request may be repeated; of its own control plane crdctl asks at once.
func TestRetryAfterIsForOthersClusters(t *testing.T) {
	for name, own := range map[string]bool{"own": true, "other": false} {
		t.Run(name, func(t *testing.T) {
			b := newBed(t)
			b.Own = own
			b.api.SetRetryAfter("1")
			var mu sync.Mutex
			var at []time.Time
			b.api.Respond(func(r operatortest.Request) (int, string) {
				if r.Method == http.MethodPatch && strings.HasSuffix(r.Path, "/configmaps/a") {
					mu.Lock()
					defer mu.Unlock()
					if at = append(at, time.Now()); len(at) == 1 {
						return http.StatusTooManyRequests, "Too many requests, please try again later."
					}
				}
				return b.usual(r)
			})
			defer b.start()()
			b.until("second apply", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(at) > 1
			})
			assert.Equal(t, own, (at[1].Sub(at[0]) < 900*time.Millisecond))
		})
	}
}

// A delay that is longer than a request may take holds no worker: the object comes back later, and that is not a failure.
func TestLongRetryAfter(t *testing.T) {
	b := newBed(t)
	b.Own, b.Loop.Workers = false, 1
	b.api.SetRetryAfter("50")
	b.api.Respond(func(r operatortest.Request) (int, string) {
		if r.Method == http.MethodPatch && strings.HasSuffix(r.Path, "/configmaps/a") {
			return http.StatusTooManyRequests, "Too many requests, please try again later."
		}
		return b.usual(r)
	})
	began := time.Now()
	defer b.start()()
	b.until("reconcile that is put off", func() bool { return b.log.Count("Reconcile put off") == 1 })
	assert.LessOrEqual(t, time.Since(began), 20*time.Second, "the worker was held for")
	assert.Zero(t, b.log.Count("Reconcile failed"), "a failure: %q", b.log.Said())
}
