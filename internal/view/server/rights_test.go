// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	add := adder(t, s)
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
		add(1, &trace.Header{Run: "r"})
		add(1, &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
		add(1, &trace.Def{Actor: &trace.Actor{ID: 2, Name: "kubectl", Class: trace.ClassKubectl}})
		add(1, &trace.Admission{Type: "validating", Name: "a", Request: "1"})
		add(1, &trace.Admission{Type: "validating", Name: "b", Request: "2"})
	})
	names, unlinked := of("true")
	assert.Empty(t, names)
	assert.Equal(t, 2, unlinked)
	unlocked(func() {
		add(1, &trace.Request{ID: "2", Actor: 2, Code: 200})
		add(1, &trace.Request{ID: "1", Actor: 1, Code: 200})
	})
	names, unlinked = of("true")
	assert.Equal(t, []string{"a"}, names)
	assert.Zero(t, unlinked)
	names, _ = of("false")
	assert.Equal(t, []string{"a", "b"}, names)
}

// A call that failed is shown, also if it is not known whose request it was made for: it may be the controller's.
func TestFailedCallsWithoutARequest(t *testing.T) {
	s := sessionWith(t, 1,
		&trace.Header{Run: "r"},
		&trace.Admission{Type: "conversion", Name: "w/convert", Err: "connection refused"},
		&trace.Admission{Type: "validating", Name: "a", Request: "1", FailedOpen: true},
		&trace.Admission{Type: "validating", Name: "a", Request: "2", Allowed: true},
		&trace.Admission{Type: "validating", Name: "a", Request: "3", Err: "timeout"},
		&trace.Admission{Type: "validating", Name: "of kubectl", Request: "4", Err: "timeout"},
		&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}},
		&trace.Def{Actor: &trace.Actor{ID: 2, Name: "kubectl", Class: trace.ClassKubectl}},
		&trace.Request{ID: "3", Actor: 1, Code: 500},
		&trace.Request{ID: "4", Actor: 2, Code: 500},
	)
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 2 { // an answer does not change the next
		rows, unlinked := s.calls(newQuery(url.Values{"own": {"true"}}))
		var got []string
		for _, r := range rows {
			got = append(got, fmt.Sprintf("%s unlinked=%t calls=%d errors=%d open=%d", r.Name, r.Unlinked, r.N, r.Errors, r.FailedOpen))
		}
		assert.Equal(t, []string{
			"a unlinked=true calls=1 errors=0 open=1", "a unlinked=false calls=1 errors=1 open=0", "w/convert unlinked=true calls=1 errors=1 open=0",
		}, got)
		assert.Equal(t, 1, unlinked, "the one that did not fail")
	}
	rows, unlinked := s.calls(newQuery(url.Values{}))
	assert.Len(t, rows, 3, "of all actors, it does not matter whose they are")
	assert.Zero(t, unlinked)
}

// Whose requests made the API server convert an object is not recorded, and a watch that is open has no request yet: both are shown.
func TestConversionsAndOpenWatchesAreShown(t *testing.T) {
	s := sessionWith(t, 1,
		&trace.Header{Run: "r"},
		&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}},
		&trace.Def{Actor: &trace.Actor{ID: 2, Name: "kubectl", Class: trace.ClassKubectl}},
		&trace.Def{Resource: &trace.Resource{ID: 1, Resource: "configmaps", Kind: "ConfigMap"}},
		&trace.Admission{Type: "conversion", Name: "w/convert", Op: "v1->v2", Allowed: true},
		&trace.Request{ID: "u", Actor: 1, Verb: "watch", Resource: 1, Code: 200},
		&trace.Watch{ID: "v", Actor: 1, State: "open", Resource: 1},
		&trace.Watch{ID: "w", Actor: 2, State: "open", Resource: 1},
		&trace.Watch{ID: "x", Actor: 1, State: "open", Resource: 1, Namespace: "a"},
		&trace.Watch{ID: "x", Actor: 1, State: "end", Resource: 1, Namespace: "a"},
	)
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 2 { // an answer does not change the next
		got := s.rights(newQuery(url.Values{"own": {"true"}})).(*rights)
		assert.Zero(t, got.Unlinked)
		require.Len(t, got.Calls, 1)
		assert.Equal(t, "v1->v2", got.Calls[0].Op)
		assert.True(t, got.Calls[0].Unlinked, "it may be for a request of kubectl")
		require.Len(t, got.Asked, 1)
		assert.Equal(t, []any{"watch", "configmaps", 2}, []any{got.Asked[0].Verb, got.Asked[0].Resource, got.Asked[0].N})
	}
}

// Rows that a table does not show are counted.
func TestRightsCountTheRowsThatAreNotShown(t *testing.T) {
	s := newSession(Options{MaxRecords: 10_000})
	add := adder(t, s)
	add(1, &trace.Header{Run: "r"})
	add(1, &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
	add(1, &trace.Def{Resource: &trace.Resource{ID: 1, Resource: "configmaps", Kind: "ConfigMap"}})
	for i := range maxRightsRows + 7 {
		add(1, &trace.Request{Actor: 1, Verb: "get", Resource: 1, Namespace: fmt.Sprint("team-", i), Code: 200})
		add(1, &trace.Admission{Type: "validating", Name: fmt.Sprint("webhook-", i), Allowed: true})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.rights(newQuery(url.Values{})).(*rights)
	assert.Len(t, got.Asked, maxRightsRows)
	assert.Equal(t, []int{7, 7, 0}, []int{got.AskedMore, got.CallsMore, got.GrantedMore})
}

// A right is used by a request that it allowed: also by a watch that is open, whose request is recorded when it ends, and not by one that was refused.
func TestGrantsThatWereUsed(t *testing.T) {
	s := sessionWith(t, 1,
		&trace.Header{Run: "r"},
		&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController, User: "u"}},
		&trace.Def{Resource: &trace.Resource{ID: 1, Resource: "configmaps", Kind: "ConfigMap"}},
		&trace.Def{Resource: &trace.Resource{ID: 2, Resource: "secrets", Kind: "Secret"}},
		&trace.Def{Resource: &trace.Resource{ID: 3, Group: "events.k8s.io", Resource: "events", Kind: "Event"}},
		&trace.Rights{User: "u", Grants: []trace.Grant{
			{Role: "a", Verbs: []string{"list", "watch"}, Groups: []string{""}, Resources: []string{"configmaps", "secrets"}},
			{Role: "b", Verbs: []string{"create"}, Groups: []string{"", "events.k8s.io"}, Resources: []string{"events"}},
		}},
		&trace.Watch{ID: "w", Actor: 1, State: "open", Resource: 1},
		&trace.Watch{ID: "v", Actor: 1, State: "open", Resource: 1},
		&trace.Watch{ID: "v", Actor: 1, State: "end", Resource: 1},
		&trace.Request{ID: "v", Actor: 1, Verb: "watch", Resource: 1, Code: 200},
		&trace.Request{ID: "l", Actor: 1, Verb: "list", Resource: 2, Code: 403, Decision: "forbid"},
		&trace.Request{ID: "e", Actor: 1, Verb: "create", Resource: 3, Code: 201},
	)
	s.mu.Lock()
	defer s.mu.Unlock()
	got := map[string]int{}
	for _, row := range s.grants() {
		got[row.Rule] = row.Used
	}
	assert.Equal(t, map[string]int{"list configmaps": 2, "watch configmaps": 2, "list secrets": 0, "watch secrets": 0, "create events in the core group, events.k8s.io": 1}, got)
}
