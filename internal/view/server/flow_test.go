// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// Where no time was chosen, the flow has the newest reconciles and requests, though other records came long after them.
func TestFlowOpensOnTheNewestItems(t *testing.T) {
	const second = int64(1e9)
	s := newSession(Options{MaxRecords: 1000})
	seq := int64(0)
	add := func(at int64, b trace.Body) {
		seq++
		s.add(t.Context(), trace.Record{Seq: seq, T: at, Body: b}, true)
	}
	of := func() *flow {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.flowOf(newQuery(url.Values{}))
	}
	add(0, &trace.Header{Run: "r"})
	add(0, &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
	add(0, &trace.Def{Actor: &trace.Actor{ID: 2, Name: "kubectl", Class: trace.ClassKubectl}})
	add(0, &trace.Def{Resource: &trace.Resource{ID: 1, Resource: "configmaps", Kind: "ConfigMap"}})
	add(second, &trace.Request{ID: "a", Actor: 1, Began: second, Verb: "list", Resource: 1, Code: 200})
	add(9*second, &trace.Log{Message: "idle"})
	got := of()
	assert.Equal(t, []int64{0, 9 * second}, []int64{got.From, got.To}, "a short recording is shown as a whole")
	assert.Len(t, got.Items, 1)

	add(60*second, &trace.Request{ID: "b", Actor: 1, Began: 60 * second, Verb: "create", Resource: 1, Code: 201})
	add(300*second, &trace.Request{ID: "w", Actor: 1, Began: second, Verb: "watch", Resource: 1, Code: 200})
	add(301*second, &trace.Request{ID: "g", Actor: 2, Began: 301 * second, Verb: "list", Resource: 1, Code: 200})
	add(302*second, &trace.Metrics{})
	got = of()
	assert.Equal(t, []int64{51 * second, 61 * second}, []int64{got.From, got.To})
	assert.Len(t, got.Items, 1)

	add(303*second, &trace.Reconcile{ID: "r", Controller: "c", Actor: 1, Key: "default/x", State: "begin", Began: 303 * second, Source: "hook"})
	got = of()
	assert.Equal(t, 303*second, got.To)
	assert.NotEmpty(t, got.Items)
}
