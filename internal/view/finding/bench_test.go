// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// load makes the records of a controller that updates the status of one of many objects each 4 ms, with the answer, the
// version, its delivery and the reconcile: 1,000 records a second.
type load struct {
	seq, t  int64
	rv      uint64
	objects []uint64 // newest version of each
	hook    bool
}

func newLoad(e *Engine, objects int, hook bool) *load {
	l := &load{objects: make([]uint64, objects), hook: hook}
	add := func(b trace.Body) {
		l.seq++
		e.Add(trace.Record{Seq: l.seq, T: l.t, Body: b})
	}
	add(&trace.Header{Format: 1, Levels: []string{"audit", "watch"}})
	add(&trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController, Build: 1}})
	add(&trace.Def{Resource: &trace.Resource{ID: 1, Group: "example.com", Version: "v1", Resource: "crontabs", Kind: "CronTab", Namespaced: true}})
	add(&trace.Watch{ID: "w", Actor: 1, State: "open", Resource: 1})
	for i := range objects {
		l.rv++
		l.objects[i] = l.rv
		id := trace.ObjectID(i + 1)
		add(&trace.Def{Object: &trace.Object{ID: id, UID: fmt.Sprintf("00000000-0000-0000-0000-%012d", i), Resource: 1, Namespace: "default", Name: fmt.Sprintf("object-%d", i)}})
		add(&trace.Version{Object: id, Type: "ADDED", RV: l.rv, Generation: 1})
	}
	return l
}

// step adds the records of one reconcile.
func (l *load) step(e *Engine, n int) {
	i := n * 7919 % len(l.objects)
	id, key := trace.ObjectID(i+1), fmt.Sprintf("default/object-%d", i)
	before := l.objects[i]
	l.rv++
	l.objects[i] = l.rv
	request := fmt.Sprintf("r%d", n)
	add := func(b trace.Body) {
		l.seq++
		l.t += second / 1000
		e.Add(trace.Record{Seq: l.seq, T: l.t, Body: b})
	}
	if l.hook {
		rec := fmt.Sprintf("rec%d", n)
		request = rec + ".1"
		add(&trace.Reconcile{ID: rec, Controller: "crontab", Actor: 1, Key: key, Object: id, State: "begin", Began: l.t, Source: "hook", Causes: []trace.Cause{{Why: "own", Object: id, RV: before, Certainty: trace.Certain}}})
		defer add(&trace.Reconcile{ID: rec, Controller: "crontab", Actor: 1, Key: key, Object: id, State: "end", Began: l.t, Source: "hook", Result: "ok"})
	}
	add(&trace.Version{
		Object: id, Type: "MODIFIED", RV: l.rv, Generation: 1, Prev: before, By: request,
		Changes: []trace.Change{{Path: "status.lastSeen", Old: json.RawMessage(`"a"`), New: json.RawMessage(fmt.Sprintf(`"%d"`, n))}},
	})
	add(&trace.Request{
		ID: request, Actor: 1, Began: l.t, Verb: "update", Subresource: "status", Resource: 1, Namespace: "default", Name: key[len("default/"):], Object: id,
		Code: 200, RVIn: before, RVOut: l.rv, Decision: "allow",
	})
	add(&trace.Event{Watch: "w", Actor: 1, Type: "MODIFIED", Object: id, RV: l.rv})
}

// BenchmarkAdd is the cost of a record, with 10,000 objects and with one that is in a hot loop.
func BenchmarkAdd(b *testing.B) {
	for _, objects := range []int{10_000, 1} {
		for _, hook := range []bool{false, true} {
			b.Run(fmt.Sprintf("objects=%d/hook=%t", objects, hook), func(b *testing.B) {
				e := New()
				l := newLoad(e, objects, hook)
				first := l.seq
				b.ResetTimer()
				for n := 0; l.seq-first < int64(b.N); n++ {
					l.step(e, n)
				}
				b.StopTimer()
				b.ReportMetric(float64(heap())/(1<<20), "MiB")
				runtime.KeepAlive(e)
			})
		}
	}
}

// Memory does not grow with the length of a recording: an hour of 1,000 records a second has 3.6 million, and
// BenchmarkAdd prints what is held after as many as it adds.
func TestMemoryIsBounded(t *testing.T) {
	e := New()
	l := newLoad(e, 10_000, true)
	n := 0
	until := func(records int64) uint64 {
		for ; l.seq < records; n++ {
			l.step(e, n)
		}
		return heap()
	}
	early := until(150_000)
	late := until(500_000)
	t.Logf("heap: %d MiB after 150,000 records, %d MiB after 500,000", early>>20, late>>20)
	assert.Less(t, late, early+early/4+8<<20)
	assert.Less(t, late, uint64(64<<20))
	runtime.KeepAlive(e)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
