// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// adder returns what adds records to a session, each at a time in nanoseconds after the start.
func adder(t *testing.T, s *session) func(at int64, b trace.Body) {
	seq := int64(0)
	return func(at int64, b trace.Body) {
		seq++
		s.add(t.Context(), trace.Record{Seq: seq, T: at, Body: b}, true)
	}
}

// sessionWith is a session with records, each of which comes a step of time after the one before.
func sessionWith(t *testing.T, step int64, bodies ...trace.Body) *session {
	s := newSession(Options{MaxRecords: 1000})
	add := adder(t, s)
	for i, b := range bodies {
		add(int64(i+1)*step, b)
	}
	return s
}

// What was before a save that doubles the writes, and what is after it: figures of whole seconds, of which none has both builds.
func TestCompareWithBeforeASave(t *testing.T) {
	s := newSession(Options{MaxRecords: 10_000})
	add := adder(t, s)
	add(0, &trace.Header{Run: "r"})
	add(0, &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
	add(0, &trace.Def{Resource: &trace.Resource{ID: 1, Resource: "crontabs", Kind: "CronTab"}})
	add(0, &trace.Def{Resource: &trace.Resource{ID: 2, Resource: "serviceaccounts", Kind: "ServiceAccount"}})
	const second, ms = int64(1e9), int64(1e6)
	reconcile := func(at, took int64, writes int) {
		r := trace.Reconcile{ID: fmt.Sprint(at), Controller: "crontab", Actor: 1, Key: "default/x", Source: "log", Began: at}
		begin, end := r, r
		begin.State, end.State, end.Result = "begin", "end", "ok"
		add(at, &begin)
		for i := range writes {
			add(at+ms, &trace.Request{ID: fmt.Sprint(at, i), Actor: 1, Verb: "update", Resource: 1, Code: 200, Began: at})
		}
		add(at+took, &end)
	}
	for i := range int64(10) {
		reconcile(i*second+second/2, 8*ms, 1)
	}
	reconcile(10*second+second/2, 400*ms, 9) // in the second of the save
	add(10*second+900*ms, &trace.Save{Build: 2, Files: []string{"main.go"}, Steps: []trace.Step{{Name: "restart", OK: true}}})
	for i := range int64(12) {
		reconcile(11*second+i*second/4, 80*ms, 2)
	}
	add(14*second, &trace.Request{ID: "new", Actor: 1, Verb: "create", Resource: 2, Code: 403, Began: 14*second - ms})
	s.mu.Lock()
	defer s.mu.Unlock()
	assert.Equal(t, []compared{
		{"reconciles a minute", "60", "240"},
		{"writes of the controller per reconcile", "1", "2"},
		{"p50 of reconciles", "6.9 ms", "78 ms"},
		{"p99 of reconciles", "6.9 ms", "78 ms"},
		{"new kinds of requests of the controller", "–", "create serviceaccounts"},
	}, s.compare())
}

// Of a controller that does not report its reconciles, writes are compared.
func TestCompareWithoutReconciles(t *testing.T) {
	s := newSession(Options{MaxRecords: 10_000})
	add := adder(t, s)
	add(0, &trace.Header{Run: "r"})
	add(0, &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
	add(0, &trace.Def{Resource: &trace.Resource{ID: 1, Resource: "crontabs", Kind: "CronTab"}})
	for i := range int64(100) {
		at := i * 1e8
		if i == 50 {
			add(at, &trace.Save{Build: 2, Files: []string{"main.go"}, Steps: []trace.Step{{Name: "restart", OK: true}}})
			add(at, &trace.Reconcile{ID: "r", Controller: "crontab", Actor: 1, Key: "default/x", State: "end", Result: "error", Err: "boom", Source: "log"})
		}
		for n := range 1 + i/50 {
			add(at, &trace.Request{ID: fmt.Sprint(i, n), Actor: 1, Verb: "update", Resource: 1, Code: 200, Began: at})
		}
	}
	add(10e9, &trace.Log{Message: "end"})
	s.mu.Lock()
	defer s.mu.Unlock()
	assert.Equal(t, []compared{{"writes of the controller a minute", "600", "1200"}}, s.compare())
}
