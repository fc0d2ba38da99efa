// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/ui"
)

func TestJump(t *testing.T) {
	assert.Zero(t, jump(time.Hour, time.Hour), "an hour that passed")
	assert.Zero(t, jump(time.Minute, time.Minute+jumpLimit), "a clock that was corrected")
	for _, set := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
		assert.Equal(t, set, jump(time.Second+set, time.Second))
	}
}

// A jump is reported once, and handed on; a clock that goes on is not reported.
func TestJumpIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var set time.Duration
		read, out := sinceLast(time.Now()), bytes.Buffer{}
		jumps := watch(t.Context(), ui.NewReporter(&out), func() (byDay, passed time.Duration) {
			byDay, passed = read()
			byDay, set = byDay+set, 0
			return byDay, passed
		})
		time.Sleep(10 * lookAtClock)
		synctest.Wait()
		assert.Empty(t, out.String(), "a clock that goes on")
		for range 2 {
			out.Reset()
			set = time.Hour
			time.Sleep(10 * lookAtClock)
			synctest.Wait()
			assert.Equal(t, "crdctl: the clock jumped by 1h0m0s; leases and time-outs may end early or late\n", out.String())
		}
		assert.Equal(t, time.Hour, <-jumps)
		assert.Empty(t, jumps, "a second jump waits only once the first is taken")
	})
}
