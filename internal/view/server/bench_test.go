// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// heldSession has as many records as a session holds: half are of one object in a hot loop, half of 10,000 others.
type heldSession struct {
	*session
	seq, t int64
	rv     uint64
	prev   map[trace.ObjectID]uint64
	n      int
}

func newHeldSession(most, records int) *heldSession {
	h := &heldSession{session: newSession(Options{MaxRecords: most, Frame: defaultFrame}), rv: 1000, prev: map[trace.ObjectID]uint64{}}
	h.record(&trace.Header{Format: trace.Format, Run: "run"})
	h.record(&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", User: "controller", Class: trace.ClassController, Build: 1}})
	h.record(&trace.Def{Actor: &trace.Actor{ID: 2, Name: "kubectl", User: "admin", Class: trace.ClassKubectl}})
	h.record(&trace.Def{Resource: &trace.Resource{ID: 1, Group: "example.com", Version: "v1", Resource: "crontabs", Kind: "CronTab", Namespaced: true}})
	h.record(&trace.Watch{ID: "w", Actor: 1, Resource: 1, State: "open"})
	h.record(&trace.Rights{User: "controller", Grants: []trace.Grant{
		{Role: "ClusterRole crontab", Groups: []string{"example.com"}, Resources: []string{"crontabs", "crontabs/status"}, Verbs: []string{"get", "list", "watch", "update", "patch"}},
		{Role: "ClusterRole crontab", Groups: []string{""}, Resources: []string{"pods", "secrets", "configmaps"}, Verbs: []string{"get", "list", "watch", "create"}},
	}})
	for i := range 10_001 {
		id := trace.ObjectID(i + 1)
		h.record(&trace.Def{Object: &trace.Object{ID: id, UID: fmt.Sprintf("u-%d", i), Resource: 1, Namespace: "default", Name: fmt.Sprintf("object-%d", i)}})
		h.rv++
		h.record(&trace.Version{Object: id, Type: "ADDED", RV: h.rv, Generation: 1, Full: json.RawMessage(`{"metadata":{"name":"x"},"spec":{"a":1}}`)})
		h.prev[id] = h.rv
	}
	for h.model.Len() < records {
		h.cycle()
	}
	return h
}

func (h *heldSession) record(b trace.Body) {
	h.seq++
	h.add(context.Background(), trace.Record{Seq: h.seq, T: h.t, Body: b}, true)
}

// cycle adds a reconcile that writes: six records.
func (h *heldSession) cycle() {
	h.n++
	o := trace.ObjectID(1)
	if h.n%2 == 0 {
		o += trace.ObjectID(1 + h.n/2*7919%10_000)
	}
	h.rv++
	id, key := fmt.Sprintf("rec-%d", h.n), fmt.Sprintf("default/object-%d", o-1)
	began := h.t
	step := func() { h.t += int64(time.Millisecond) }
	h.record(&trace.Reconcile{ID: id, Controller: "crontab", Actor: 1, Key: key, Object: o, State: "begin", Began: began, Waited: 1e6, Source: "hook"})
	step()
	changes := []trace.Change{
		{Path: "status.lastSeen", Old: json.RawMessage(`"a"`), New: json.RawMessage(fmt.Sprintf(`"%d"`, h.n))},
		{Path: "status.conditions", New: json.RawMessage(fmt.Sprintf(`[{"type":"Ready","status":"True","reason":"R%d"}]`, h.n))},
	}
	h.record(&trace.Version{Object: o, Type: "MODIFIED", RV: h.rv, Prev: h.prev[o], By: id + ".1", Changes: changes})
	step()
	h.record(&trace.Request{
		ID: id + ".1", Actor: 1, Began: began, Verb: "update", Resource: 1, Subresource: "status", Namespace: "default", Name: key[len("default/"):],
		Object: o, Code: 200, RVIn: h.prev[o], RVOut: h.rv, Decision: "allow", Because: "ClusterRoleBinding crontab",
	})
	h.prev[o] = h.rv
	step()
	h.record(&trace.Event{Watch: "w", Actor: 1, Type: "MODIFIED", Object: o, RV: h.rv})
	step()
	h.record(&trace.Log{Actor: 1, Build: 1, Stream: "stderr", Level: "info", Message: "Successfully synced", Key: key, Reconcile: id})
	step()
	h.record(&trace.Reconcile{ID: id, Controller: "crontab", Actor: 1, Key: key, Object: o, State: "end", Began: began, Result: "ok", Source: "hook"})
	step()
}

// questions are what the page asks for, by endpoint.
var questions = []struct{ endpoint, params string }{
	{"stream", ""},
	{"requests", "own=true"},
	{"requests", "own=true&q=object-77+-get"},
	{"log", ""},
	{"log", "q=object-77"},
	{"tree", ""},
	{"object", "id=1"},
	{"versions", "id=1"},
	{"flow", ""},
	{"flowrows", ""},
	{"time", ""},
	{"rights", "own=true"},
	{"why", "seq=290000"},
}

// BenchmarkAnswers is how long an answer takes where 300,000 records are held and some came since the answer before.
func BenchmarkAnswers(b *testing.B) {
	h := newHeldSession(defaultMaxRecords, defaultMaxRecords*95/100)
	for _, question := range questions {
		b.Run(question.endpoint+"?"+question.params, func(b *testing.B) {
			params, err := url.ParseQuery(question.params)
			require.NoError(b, err)
			q := newQuery(params)
			for range b.N {
				b.StopTimer()
				for range 40 { // a quarter of a second
					h.cycle()
				}
				b.StartTimer()
				var body []byte
				if question.endpoint == "stream" {
					body, err = json.Marshal(h.frameAfter(0))
				} else {
					body, err = h.locked(h.answers()[question.endpoint], q)
				}
				require.NoError(b, err)
				require.NotEmpty(b, body)
			}
		})
	}
}
