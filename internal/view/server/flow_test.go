// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// What led from a request to a delivery has a line over the version that was written; a request that only reads is not called a write.
func TestFlowOfAWrite(t *testing.T) {
	s := sessionWith(t, 1,
		&trace.Header{Run: "r"},
		&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}},
		&trace.Def{Actor: &trace.Actor{ID: 2, Name: "kubectl", Class: trace.ClassKubectl}},
		&trace.Def{Resource: &trace.Resource{ID: 1, Resource: "configmaps", Kind: "ConfigMap"}},
		&trace.Def{Object: &trace.Object{ID: 1, UID: "u", Resource: 1, Name: "x"}},
		&trace.Request{ID: "g", Actor: 2, Verb: "get", Resource: 1, Name: "x", Code: 404},
		&trace.Version{Object: 1, Type: "ADDED", RV: 5, By: "p"},
		&trace.Request{ID: "p", Actor: 2, Verb: "create", Resource: 1, Name: "x", Object: 1, Code: 201, RVOut: 5},
		&trace.Event{Watch: "w", Actor: 1, Type: "ADDED", Object: 1, RV: 5},
	)
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flowOf(newQuery(url.Values{}))
	kinds := map[int64]string{}
	for _, i := range f.Items {
		kinds[i.Seq] = i.Kind
	}
	assert.Equal(t, map[int64]string{6: "read", 7: "version", 8: "write", 9: "delivery"}, kinds)
	assert.Equal(t, []edge{{8, 7, trace.Certain}, {7, 9, trace.Certain}}, f.Edges)
}

// Where no time was chosen, the flow has the newest reconciles and requests, though other records came long after them.
func TestFlowOpensOnTheNewestItems(t *testing.T) {
	const second = int64(1e9)
	s := newSession(Options{MaxRecords: 1000})
	add := adder(t, s)
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
