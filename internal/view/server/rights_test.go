// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// A call of a webhook whose client went away counts as a call, and neither as denied nor as failed.
func TestCanceledCallIsNotDenied(t *testing.T) {
	by := map[calling]*callSum{}
	for seq, b := range []*trace.Admission{{Canceled: true}, {Reason: "no"}} {
		b.Type, b.Name = "validating", "w"
		countCall(by, nil, trace.Record{Seq: int64(seq), Body: b})
	}
	got := by[calling{kind: "validating", name: "w"}]
	assert.Equal(t, []int{2, 1, 0}, []int{got.N, got.Denied, got.Errors})
}

// A call belongs to the controller if the request that it was made for does, which is recorded after it.
func TestCallsOfTheController(t *testing.T) {
	s := newSession(Options{MaxRecords: 100})
	seq := int64(0)
	add := func(b trace.Body) {
		seq++
		s.add(t.Context(), trace.Record{Seq: seq, T: seq, Body: b}, true)
	}
	of := func(own string) (names []string, unlinked int) {
		rows, unlinked := s.calls(newQuery(url.Values{"own": {own}}))
		for _, row := range rows {
			names = append(names, row.Name)
		}
		return names, unlinked
	}
	s.mu.Lock() // as the endpoints hold it
	defer s.mu.Unlock()
	unlocked := func(f func()) { s.mu.Unlock(); f(); s.mu.Lock() }
	unlocked(func() {
		add(&trace.Header{Run: "r"})
		add(&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
		add(&trace.Def{Actor: &trace.Actor{ID: 2, Name: "kubectl", Class: trace.ClassKubectl}})
		add(&trace.Admission{Type: "validating", Name: "a", Request: "1"})
		add(&trace.Admission{Type: "validating", Name: "b", Request: "2"})
	})
	names, unlinked := of("true")
	assert.Empty(t, names)
	assert.Equal(t, 2, unlinked)
	unlocked(func() {
		add(&trace.Request{ID: "2", Actor: 2, Code: 200})
		add(&trace.Request{ID: "1", Actor: 1, Code: 200})
	})
	names, unlinked = of("true")
	assert.Equal(t, []string{"a"}, names)
	assert.Zero(t, unlinked)
	names, _ = of("false")
	assert.Equal(t, []string{"a", "b"}, names)
}
