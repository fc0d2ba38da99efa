// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// What is forgotten is not held by answers to questions either.
func TestForgottenRecordsAreNotHeld(t *testing.T) {
	h := newHeldSession(12_000, 11_000)
	_, err := h.locked(h.answers()["requests"], newQuery(url.Values{"own": {"true"}}))
	require.NoError(t, err)
	assert.NotEmpty(t, h.scans)
	for epoch := h.epoch; h.epoch == epoch; {
		h.cycle()
	}
	assert.Empty(t, h.scans)
}

// Records that this version does not know are saved as they were read, in their place.
func TestUnknownRecordsAreSaved(t *testing.T) {
	h := newHeldSession(30_000, 11_000)
	line := []byte(`{"seq":100000,"t":100000,"k":"quota","what":"new"}`)
	unknown, err := trace.Parse(line)
	require.NoError(t, err)
	unknown.Seq, unknown.T = h.last+1, h.model.Now()
	h.add(t.Context(), unknown, true)
	h.cycle()
	records := h.recordsOf(0, 0)
	at := -1
	for i, r := range records {
		if _, is := r.Body.(*trace.Unknown); is {
			at = i
		}
	}
	require.Positive(t, at, "it is not among %d records", len(records))
	assert.Equal(t, line, records[at].Raw)
	assert.Less(t, records[at-1].Seq, records[at].Seq)
	assert.Greater(t, records[at+1].Seq, records[at].Seq)
}

// A gap without a number, of lines that repeat numbers, is saved, too.
func TestGapsWithoutNumbersAreSaved(t *testing.T) {
	h := newHeldSession(30_000, 100)
	h.add(t.Context(), trace.Record{T: h.model.Now(), Body: &trace.Gap{Damaged: true, Dropped: map[trace.Kind]int64{trace.KindAny: 1}}}, false)
	gaps := 0
	for _, r := range h.recordsOf(0, 0) {
		if _, is := r.Body.(*trace.Gap); is {
			gaps++
		}
	}
	assert.Equal(t, 1, gaps)
}

// What a saved recording does not have is reported with it: records that cannot be read, that are no longer held, and that are of a newer
// version and too many.
func TestWhatIsNotSavedIsReported(t *testing.T) {
	h := newHeldSession(12_000, 11_000)
	left := func(from int64) string { return h.left(h.recordsOf(from, 0), from) }
	assert.Empty(t, left(0))
	h.add(t.Context(), trace.Record{T: h.model.Now(), Body: &trace.Gap{Damaged: true, Dropped: map[trace.Kind]int64{trace.KindAny: 6}}}, false)
	assert.Equal(t, "at least 6 records could not be read", left(0))
	assert.Empty(t, left(h.model.Now()+1), "the gap was before")
	for epoch := h.epoch; h.epoch == epoch; {
		h.cycle()
	}
	assert.Regexp(t, "^at least 6 records could not be read; the page holds the newest [0-9]+ records, and older ones are not in it$", left(0))
	assert.Empty(t, left(h.model.Now()))
	for range maxUnread + 1 {
		h.add(t.Context(), trace.Record{Seq: h.last + 1, T: h.model.Now(), Raw: []byte(`{}`), Body: &trace.Unknown{K: "new"}}, true)
	}
	// The gap is the first of what is left out.
	assert.Equal(t, "the first 999 records that this version of crdctl cannot read are not in it", left(h.model.Now()))
}
