// SPDX-License-Identifier: Apache-2.0

package server

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// The page says that reconciles are invisible once there must have been one, and not about a controller that had nothing to reconcile.
func TestReconcilesAreInvisibleOnceKnown(t *testing.T) {
	const second = int64(1e9)
	visible := func(class trace.Class, levels []string, more ...trace.Body) bool {
		s := sessionWith(t, second, append([]trace.Body{
			&trace.Header{Run: "r", Levels: levels},
			&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: class}},
			&trace.Def{Resource: &trace.Resource{ID: 1, Resource: "crontabs", Kind: "CronTab"}},
			&trace.Def{Object: &trace.Object{ID: 1, UID: "u", Resource: 1, Name: "x"}},
			&trace.Watch{ID: "w", Actor: 1, Resource: 1, State: "open"},
			&trace.Metrics{},
		}, more...)...)
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.frameNow().Visible
	}
	log, delivered := &trace.Log{Message: "idle"}, &trace.Event{Watch: "w", Actor: 1, Type: "ADDED", Object: 1, RV: 1}
	assert.True(t, visible(trace.ClassController, nil), "no object exists")
	assert.True(t, visible(trace.ClassController, nil, delivered, log), "its reconcile may be recorded yet")
	assert.False(t, visible(trace.ClassController, nil, delivered, log, log, log, log, log, log, log))
	assert.False(t, visible(trace.ClassController, nil, &trace.Metrics{Samples: map[string]float64{"controller_runtime_reconcile_total": 3}}))
	assert.True(t, visible(trace.ClassController, nil, delivered, &trace.Reconcile{ID: "r", Actor: 1, Key: "x", Object: 1, State: "begin", Source: "hook"}, log, log, log, log, log, log))
	assert.True(t, visible(trace.ClassBuiltin, []string{"loop"}, delivered, log, log, log, log, log, log, log))
}

// Rates are of now: they end with what they count, though nothing more is recorded. In a file they are of all of it.
func TestRatesEnd(t *testing.T) {
	s := newSession(Options{MaxRecords: 1000})
	add := adder(t, s)
	add(0, &trace.Header{Run: "r"})
	add(0, &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
	add(20e9, &trace.Reconcile{ID: "r", Controller: "c", Actor: 1, Key: "default/x", State: "begin", Began: 20e9, Source: "hook"})
	add(20e9+1e6, &trace.Reconcile{ID: "r", Controller: "c", Actor: 1, Key: "default/x", State: "end", Began: 20e9, Result: "ok", Source: "hook"})
	of := func() (rates, float64) {
		f := s.frameAfter(0)
		s.mu.Lock()
		defer s.mu.Unlock()
		return f.Rates, s.activity()["default/x"].rate
	}
	now, active := of()
	assert.Positive(t, now.Reconciles)
	assert.Positive(t, active)
	s.arrived = s.arrived.Add(-time.Duration(recent) - time.Second)
	before := s.changes
	s.tick()
	assert.Greater(t, s.changes, before, "pages are to be told")
	later, idle := of()
	assert.Zero(t, later.Records)
	assert.Zero(t, later.Reconciles)
	assert.Zero(t, idle)
	assert.Equal(t, int64(-1), later.P50)
	s.state = stateFile
	file, _ := of()
	assert.Positive(t, file.P50)
}

// A reconcile's requests are recorded up to a second after its end. Until then the page shows the one before: it would say that this one wrote
// nothing.
func TestLastReconcileHasItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(Options{MaxRecords: 1000})
		add := adder(t, s)
		last := func() *lastRow {
			f := s.frameAfter(0)
			return f.Last
		}
		add(0, &trace.Header{Run: "r"})
		add(0, &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
		add(0, &trace.Def{Resource: &trace.Resource{ID: 1, Resource: "crontabs", Kind: "CronTab"}})
		add(0, &trace.Def{Object: &trace.Object{ID: 1, UID: "u", Resource: 1, Namespace: "default", Name: "x"}})
		end := func(at int64, id string) {
			add(at-5e6, &trace.Reconcile{ID: id, Controller: "c", Actor: 1, Key: "default/x", Object: 1, State: "begin", Began: at - 5e6, Source: "hook"})
			add(at, &trace.Reconcile{ID: id, Controller: "c", Actor: 1, Key: "default/x", Object: 1, State: "end", Began: at - 5e6, Result: "ok", Source: "hook"})
		}
		end(10e9, "a")
		assert.Nil(t, last())
		add(10e9+3e6, &trace.Request{ID: "a.1", Actor: 1, Began: 10e9 - 3e6, Verb: "update", Subresource: "status", Resource: 1, Object: 1, Code: 200, RVIn: 1, RVOut: 2})
		time.Sleep(time.Duration(late))
		require.NotNil(t, last())
		assert.Equal(t, 1, last().Written)

		end(20e9, "b")
		assert.Equal(t, int64(10e9-5e6), last().Began)
		add(21e9, &trace.Metrics{})
		assert.Equal(t, int64(20e9-5e6), last().Began)
	})
}
