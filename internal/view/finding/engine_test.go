// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// A long time without records is skipped, with enough ticks to resolve what is quiet.
func TestLongTimesAreSkipped(t *testing.T) {
	e := New()
	ticks, last := 0, int64(0)
	e.onTick = append(e.onTick, func(now int64) { ticks, last = ticks+1, now })
	const t400days = 400 * 24 * 3600 * second
	e.Add(trace.Record{Seq: 1, T: 1, Body: &trace.Log{}})
	e.Add(trace.Record{Seq: 2, T: t400days, Body: &trace.Log{}})
	e.End()
	assert.LessOrEqual(t, ticks, 2*ticksMax+2)
	assert.GreaterOrEqual(t, ticks, ticksMax)
	assert.Equal(t, t400days, last)
}

// Records of unknown kinds can be of any, and one that cannot be read is missing as if it had been dropped.
func TestLostRecordsLeaveFindingsUndetermined(t *testing.T) {
	types := func(b trace.Body) (all []string) {
		e := New()
		e.Add(trace.Record{Seq: 1, Body: &trace.Header{Levels: []string{"hook"}}})
		e.Add(trace.Record{Seq: 2, T: 1, Body: b})
		for _, u := range e.Undetermined() {
			all = append(all, u.Type)
		}
		return all
	}
	kinds := types(&trace.Gap{Dropped: map[trace.Kind]int64{trace.KindAny: 1}})
	assert.Contains(t, kinds, "hot-loop")
	assert.Contains(t, kinds, "webhook-failing")
	unread := types(&trace.Unknown{K: trace.KindAdmission, Err: errors.New("x")})
	assert.Contains(t, unread, "webhook-failing")
	assert.NotContains(t, unread, "hot-loop")
	assert.NotContains(t, types(&trace.Unknown{K: "telepathy"}), "webhook-failing")
}
