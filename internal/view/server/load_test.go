// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/server"
)

// measure notes the tasks of the page that take longer than 50 ms, from now on.
const measure = `(() => {
	window.longTasks = [];
	window.longFrames = [];
	const where = (s) => [s.sourceURL.split("/").at(-1), s.sourceFunctionName || s.invoker, Math.round(s.duration), "ms"].join(" ");
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) {
			const layout = Math.round(e.startTime + e.duration - e.styleAndLayoutStart);
			window.longFrames.push([Math.round(e.duration), "ms in", document.querySelector("[role=tab][aria-selected=true]").id + ":", e.scripts.map(where).join(", "), "layout", layout, "ms"].join(" "));
		}
	}).observe({ entryTypes: ["long-animation-frame"] });
	new PerformanceObserver((list) => { for (const e of list.getEntries()) window.longTasks.push(Math.round(e.duration)); }).observe({ entryTypes: ["longtask"] });
	return true;
})()`

// The page holds 1,000 records a second for 30 s, with a view of each kind open: few elements, a bounded heap, and it
// draws to the end. Long tasks are logged: how many there are depends on what else the machine does.
func TestLoad(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 30)
	const objects = 1000
	for i := range trace.ObjectID(objects) {
		r.add(&trace.Def{Object: &trace.Object{ID: 100 + i, UID: fmt.Sprintf("u-%d", i), Resource: cronTabs, Namespace: "default", Name: fmt.Sprintf("load-%d", i)}})
	}
	p := open(t, serve(t, r, live, func(o *server.Options) { o.Frame = 250 * time.Millisecond }).URL())
	p.has(".finding.open", "reconciled by its own status write")
	eval[bool](p, measure)
	began := time.Now()
	const seconds, perStep = 30, 50
	views := []string{"1", "2", "3", "4", "5", "6"}
	for step := range seconds * 1000 / perStep {
		r.mu.Lock()
		for i := range perStep / 5 {
			n := trace.ObjectID((step*perStep + i) % objects)
			r.cycle(100+n, fmt.Sprintf("l-%d-%d", step, i))
		}
		r.mu.Unlock()
		if step%100 == 0 {
			p.key(views[step/100%len(views)])
		}
		if step%100 == 50 { // scroll the table of the view, or the log
			eval[bool](p, `(() => { const e = document.querySelector(".view crd-rows") ?? document.querySelector(".log crd-rows"); e.scrollTop = e.scrollTop ? 0 : 4000; return true; })()`)
		}
		time.Sleep(time.Until(began.Add(time.Duration(step+1) * perStep * time.Millisecond)))
	}
	p.key("4")
	p.has(".view .row", "PUT")
	type figures struct {
		Nodes int       `json:"nodes"`
		Heap  int       `json:"heap"`
		Long  []float64 `json:"long"`

		Frames []string `json:"frames"`
	}
	f := eval[figures](p, `({ nodes: document.querySelectorAll("*").length, heap: performance.memory.usedJSHeapSize, long: window.longTasks, frames: window.longFrames })`)
	t.Logf("%d elements, heap %.1f MB, long tasks (ms): %v", f.Nodes, float64(f.Heap)/1e6, f.Long)
	for _, frame := range f.Frames {
		t.Logf("long frame: %s", frame)
	}
	assert.Less(t, f.Nodes, 3000)
	assert.Less(t, f.Heap, 150_000_000)
}

// cycle adds what a reconcile makes: five records. r.mu is held.
func (r *recording) cycle(o trace.ObjectID, id string) {
	add := func(b trace.Body) {
		r.records = append(r.records, trace.Record{Seq: int64(len(r.records) + 1), T: r.t, Body: b})
	}
	rv := r.nextRV()
	key := fmt.Sprintf("default/load-%d", o-100)
	began := r.t
	add(&trace.Reconcile{ID: id, Controller: "crontab", Actor: controller, Key: key, Object: o, State: "begin", Began: began, Waited: 2e6, Source: "hook"})
	r.t += 2e6
	add(&trace.Version{Object: o, Type: "MODIFIED", RV: rv, By: id + ".1", Changes: []trace.Change{{Path: "status.n", Old: []byte("1"), New: []byte("2")}}})
	add(&trace.Request{ID: id + ".1", Actor: controller, Began: began + 1e6, Verb: "update", Resource: cronTabs, Subresource: "status", Namespace: "default", Name: key[len("default/"):], Object: o, Code: 200, RVOut: rv})
	add(&trace.Event{Watch: "w-x", Actor: controller, Type: "MODIFIED", Object: o, RV: rv})
	r.t += 3e6
	add(&trace.Reconcile{ID: id, Controller: "crontab", Actor: controller, Key: key, Object: o, State: "end", Began: began, Result: "ok", Source: "hook"})
}
