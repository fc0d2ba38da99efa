// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// A finding that a run recorded shows that the run went on until then, though nothing else was recorded: what is quiet is resolved, as it was live.
func TestFindingsAreResolvedAsLive(t *testing.T) {
	all := records(t, "testdata/conflict-storm/shows.jsonl")
	require.Zero(t, find(all)[0].Until)
	last := all[len(all)-1]
	last.Seq, last.T = last.Seq+1, last.T+60*second
	assert.NotZero(t, find(append(all, last))[0].Until)
}

// What does not work comes first, what only costs comes last, and what was resolved after all of them.
func TestFindingsBySeverity(t *testing.T) {
	e := New()
	for i, f := range []struct {
		t         *Type
		certainty trace.Certainty
	}{{noOpWrites, trace.Certain}, {hotLoop, trace.Likely}, {fieldFight, trace.Certain}, {watchDenied, trace.Certain}, {stuckFinalizer, trace.Certain}} {
		base{e, f.t}.report(trace.Finding{Subject: "x", Certainty: f.certainty}, int64(i+1))
	}
	base{e, watchDenied}.resolve("x")
	var all []string
	for _, f := range e.Findings() {
		all = append(all, f.Type)
	}
	assert.Equal(t, []string{"stuck-finalizer", "field-fight", "hot-loop", "no-op-writes", "watch-denied"}, all)
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

// What a role grants and was not used is not determined where more was used than is remembered.
func TestTooManyUses(t *testing.T) {
	e := New()
	e.Add(trace.Record{Seq: 1, Body: &trace.Header{Levels: []string{"audit"}}})
	e.Add(trace.Record{Seq: 2, Body: &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", User: "controller", Class: trace.ClassController}}})
	e.Add(trace.Record{Seq: 3, Body: &trace.Def{Resource: &trace.Resource{ID: 1, Version: "v1", Resource: "pods"}}})
	e.Add(trace.Record{Seq: 4, T: 1, Body: &trace.Rights{User: "controller", Grants: []trace.Grant{{Role: "Role crontab", Groups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"delete"}}}}})
	seq := int64(4)
	reasons := func(requests int) (reason string) {
		for range requests {
			seq++
			e.Add(trace.Record{Seq: seq, T: seq * second / 100, Body: &trace.Request{ID: fmt.Sprint(seq), Actor: 1, Verb: "get", Resource: 1, Name: fmt.Sprint("pod-", seq), Code: 200, Decision: "allow"}})
		}
		for _, u := range e.Undetermined() {
			if u.Type == "permission-unused" {
				reason = u.Reason
			}
		}
		return reason
	}
	assert.Empty(t, reasons(9000))
	assert.Contains(t, reasons(2000), "at least 10000 objects")
}

// A value that is cut keeps both quotes.
func TestValueIsQuoted(t *testing.T) {
	long := `"` + strings.Repeat("a", 60) + `"`
	assert.Equal(t, `"`+strings.Repeat("a", 36)+`…"`, value(json.RawMessage(long)))
	assert.Equal(t, `"a"`, value(json.RawMessage(`"a"`)))
}

// What cannot be read of a file stays missing, and is a finding of its own. A gap without numbers, or with impossible ones, is one too.
func TestDamagedRecords(t *testing.T) {
	e := New()
	e.Add(trace.Record{Seq: 1, Body: &trace.Header{Format: 1, Levels: []string{"hook"}}})
	e.Add(trace.Record{Seq: 2, T: second, Body: &trace.Gap{From: second, Damaged: true, Dropped: map[trace.Kind]int64{trace.KindAny: 3}, Why: "the file is damaged after byte 7: flate: corrupt"}})
	e.Add(trace.Record{Seq: 3, T: 2 * second, Body: &trace.Unknown{K: trace.KindRequest, Err: errors.New("a record of 20000000 bytes")}})
	e.Add(trace.Record{Seq: 4, T: 100 * second, Body: &trace.Log{}})
	e.End()
	found := e.Findings()
	assert.Len(t, found, 1)
	assert.Equal(t, "recording-gap: file", found[0].ID)
	assert.Equal(t, "at least 4 records of the file cannot be read: the file is damaged after byte 7: flate: corrupt, and 1 place after it", found[0].Message)
	assert.Contains(t, found[0].Fix, "copy the file again")
	assert.Zero(t, found[0].Until)
	assert.Equal(t, []int64{2, 3}, found[0].Evidence)

	for _, dropped := range []map[trace.Kind]int64{nil, {trace.KindAny: -5}, {"telepathy": 1}} {
		e = New()
		e.Add(trace.Record{Seq: 1, Body: &trace.Header{Format: 1, Levels: []string{"hook"}}})
		e.Add(trace.Record{Seq: 2, T: 1, Body: &trace.Gap{Dropped: dropped}})
		e.End()
		assert.Len(t, e.Findings(), 1)
		assert.Equal(t, "hot-loop", e.Undetermined()[0].Type)
	}
}

// A newer format changes what records mean: nothing is certain.
func TestNewerFormat(t *testing.T) {
	e := New()
	for _, r := range records(t, "testdata/conflict-storm/shows.jsonl") {
		if h, ok := r.Body.(*trace.Header); ok {
			h.Format = trace.Format + 1
		}
		e.Add(r)
	}
	e.End()
	assert.Len(t, e.Undetermined(), len(Types()))
	for _, f := range e.Findings() {
		assert.NotEqual(t, trace.Certain, f.Certainty, f.Message)
	}
}

// What differs is in the sentence, wherever it is in the values.
func TestDifferenceIsVisible(t *testing.T) {
	long := strings.Repeat("0123456789", 10)
	for _, test := range []struct{ old, new, want string }{
		{`"2026-11-23T12:00:07.113Z"`, `"2026-11-23T12:00:07.140Z"`, `p: "2026-11-23T12:00:07.113Z" → "2026-11-23T12:00:07.140Z"`},
		{`"` + long + `a"`, `"` + long + `b"`, `p: "…0123456789a" → "…0123456789b"`},
		{`"a` + long + `"`, `"b` + long + `"`, `p: "a01234567890123456789012345678901234…" → "b01234567890123456789012345678901234…"`},
		{`"` + long + `"`, `"` + long + `0"`, `p: "…0123456789" → "…01234567890"`},
		{`{"a":"` + long + `","b":1}`, `{"a":"` + long + `","b":2}`, `p: …6789","b":1} → …6789","b":2}`},
		{`"` + strings.Repeat("ä", 50) + `x"`, `"` + strings.Repeat("ä", 50) + `y"`, `p: "…äääääx" → "…äääääy"`},
		{``, `"` + long + `"`, `p: nothing → "012345678901234567890123456789012345…"`},
	} {
		c := trace.Change{Path: "p", New: json.RawMessage(test.new)}
		if test.old != "" {
			c.Old = json.RawMessage(test.old)
		}
		assert.Equal(t, test.want, changed(c))
	}
}

// What is held to link records with is bounded by its size, too, and also when all records have one time.
func TestHeldRecordsAreBounded(t *testing.T) {
	e := New()
	e.Add(trace.Record{Seq: 1, Body: &trace.Header{Format: 1}})
	for i := range int64(3 * heldMax) {
		e.Add(trace.Record{Seq: i + 2, T: 5, Body: &trace.Log{Message: "x"}})
	}
	assert.LessOrEqual(t, e.m.Len(), heldMax)
	assert.LessOrEqual(t, len(e.pending), heldMax)

	e = New()
	line := make([]byte, heldBytes/10)
	for i := range int64(100) {
		e.Add(trace.Record{Seq: i + 1, T: 5, Raw: line, Body: &trace.Log{Message: "x"}})
		assert.LessOrEqual(t, e.m.Bytes(), int64(heldBytes))
	}
	assert.Greater(t, e.m.Len(), 2)
	e.End()
	assert.Empty(t, e.pending)
}

// Whether a client delays its requests is not determined if it sends more than the default limit allows and nothing reports delays.
func TestThrottlingIsNotDetermined(t *testing.T) {
	for name, want := range map[string]bool{"client-throttling-unlimited": true, "client-throttling-slower": false, "client-throttling-metrics": false, "client-throttling-verbose": false} {
		e := New()
		for _, r := range records(t, filepath.Join("testdata", "more", name+".jsonl")) {
			e.Add(r)
		}
		e.End()
		got := slices.ContainsFunc(e.Undetermined(), func(u Undetermined) bool { return u.Type == "client-throttling" })
		assert.Equal(t, want, got, name)
	}
}

// Where only metrics show that reconciles are slow, one is not enough: it may have waited for what is made once.
func TestSlowReconcilesOfMetrics(t *testing.T) {
	const metric = `controller_runtime_reconcile_time_seconds_%s{controller="shop"}`
	found := func(counts ...float64) (messages []string) {
		e := New()
		e.Add(trace.Record{Seq: 1, Body: &trace.Header{Format: 1}})
		for i, n := range counts {
			e.Add(trace.Record{Seq: int64(i + 2), T: int64(i) * second, Body: &trace.Metrics{Samples: map[string]float64{fmt.Sprintf(metric, "count"): n, fmt.Sprintf(metric, "sum"): 2 * n}}})
		}
		e.End()
		for _, f := range e.Findings() {
			messages = append(messages, f.Message)
		}
		return messages
	}
	assert.Empty(t, found(0, 1, 1, 2))
	assert.Equal(t, []string{"shop: 4 reconciles took 2 s on average, as its metrics say"}, found(0, 1, 1, 2, 4))
}

// What a part of a recording does not show can have been used before it.
func TestAPartDoesNotShowWhatIsUnused(t *testing.T) {
	all := records(t, filepath.Join("testdata", "permission-unused", "shows.jsonl"))
	all[0] = trace.BeginsAt(1, all[0])
	e := New()
	for _, r := range all {
		e.Add(r)
	}
	e.End()
	assert.Empty(t, e.Findings())
	for _, u := range e.Undetermined() {
		if u.Type == "permission-unused" {
			assert.Contains(t, u.Reason, "part of a recording")
			return
		}
	}
	t.Error("permission-unused is determined")
}

// A proxy does not show what roles grant, and --as-service-account is not for the clusters that it is for.
func TestAProxyDoesNotShowWhatIsUnused(t *testing.T) {
	e := New()
	e.Add(trace.Record{Seq: 1, Body: &trace.Header{Format: trace.Format, Plane: trace.PlaneProxy}})
	e.End()
	reasons := map[string]string{}
	for _, u := range e.Undetermined() {
		reasons[u.Type] = u.Reason
	}
	assert.Contains(t, reasons["permission-unused"], "seen through a proxy")
}

// A part of a recording does not show that a cache was never synced.
func TestAPartDoesNotSayNever(t *testing.T) {
	all := records(t, filepath.Join("testdata", "watch-denied", "shows.jsonl"))
	all[0] = trace.BeginsAt(1, all[0])
	found := find(all)
	require.Len(t, found, 1)
	assert.True(t, strings.HasPrefix(found[0].Message, "secrets are not synced: 403"), found[0].Message)
}

// Lines about errors alone show neither the reconciles that succeed nor how long any took, also if one is a panic.
func TestErrorsAloneLeaveReconcilesUndetermined(t *testing.T) {
	for _, result := range []string{"error", "panic"} {
		e := New()
		for i, b := range []trace.Body{
			&trace.Header{Format: trace.Format, Levels: []string{"audit", "log"}},
			&trace.Reconcile{ID: "r", Controller: "crontab", Key: "default/x", State: "end", Result: result, Err: "boom", Source: "log"},
		} {
			e.Add(trace.Record{Seq: int64(i + 1), T: int64(i), Body: b})
		}
		e.End()
		reasons := map[string]string{}
		for _, u := range e.Undetermined() {
			reasons[u.Type] = u.Reason
		}
		for _, typ := range []string{"retry-climbing", "timer-preempted", "slow-reconcile"} {
			assert.Contains(t, reasons[typ], "only reconciles that failed are recorded", "%s after a %s", typ, result)
		}
	}
}
