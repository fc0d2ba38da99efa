// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	browserio "github.com/chromedp/cdproto/io"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/server"
)

// task is one of the main thread of the page. How long it takes depends on what else the machine does, and its CPU time does not.
type task struct{ took, cpu time.Duration }

// tasks returns the tasks of the page while f runs.
func (p *tab) tasks(f func()) (all []task) {
	p.t.Helper()
	complete := chromedp.Events(p.ctx, tracing.TracingComplete)
	_, err := chromedp.Call(p.ctx, tracing.Start, tracing.StartParams{
		TransferMode: tracing.StartTransferModeReturnAsStream, TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "__metadata"}},
	})
	require.NoError(p.t, err)
	f()
	_, err = chromedp.Call(p.ctx, tracing.End, cdp.Empty{})
	require.NoError(p.t, err)
	var stream browserio.StreamHandle
	for e, err := range complete {
		require.NoError(p.t, err)
		stream = e.Stream
		break
	}
	var content []byte
	for end := false; !end; {
		part, err := chromedp.Call(p.ctx, browserio.Read, browserio.ReadParams{Handle: stream})
		require.NoError(p.t, err)
		content = append(content, part.Data...)
		end = part.EOF
	}
	var trace struct {
		Events []struct {
			Name    string `json:"name"`
			Process int    `json:"pid"`
			Thread  int    `json:"tid"`
			Took    int64  `json:"dur"` // µs
			CPU     int64  `json:"tdur"`
			Args    any    `json:"args"`
		} `json:"traceEvents"`
	}
	require.NoError(p.t, json.Unmarshal(content, &trace))
	main := map[[2]int]bool{}
	for _, e := range trace.Events {
		if args, ok := e.Args.(map[string]any); ok && e.Name == "thread_name" && args["name"] == "CrRendererMain" {
			main[[2]int{e.Process, e.Thread}] = true
		}
	}
	for _, e := range trace.Events {
		if main[[2]int{e.Process, e.Thread}] && e.CPU > 0 {
			all = append(all, task{time.Duration(e.Took) * time.Microsecond, time.Duration(e.CPU) * time.Microsecond})
		}
	}
	return all
}

// The page holds 10,000 objects, all in its tree, and 1,000 records a second for 30 s, with a view of each kind open, while its tables are
// scrolled: few elements, a bounded heap, and it draws to the end, without long tasks: on a slow machine there are few.
func TestLoad(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 30)
	const objects = 10_000
	for i := range trace.ObjectID(objects) {
		r.add(&trace.Def{Object: &trace.Object{ID: 100 + i, UID: fmt.Sprintf("u-%d", i), Resource: cronTabs, Namespace: "default", Name: fmt.Sprintf("load-%d", i)}})
	}
	p := open(t, serve(t, r, live, func(o *server.Options) { o.Frame = 250 * time.Millisecond }).URL())
	p.has(".finding.open", "reconciled by its own status write")
	p.has(".tree .row", "more, all quiet")
	p.click(".tree .row:last-child")
	p.has(".tree .chip", "quiet ones, too")
	p.waits(fmt.Sprintf(`document.querySelector(".tree crd-rows").scrollHeight > 24 * %d`, objects))
	const seconds, perStep = 30, 50
	all := p.tasks(func() {
		began := time.Now()
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
			if step%10 == 5 { // scroll the table of the view, or the log, and the objects
				eval[bool](p, `(() => {
					const e = document.querySelector(".view crd-rows") ?? document.querySelector(".log crd-rows"), tree = document.querySelector(".tree crd-rows");
					e.scrollTop = e.scrollTop > 4000 ? 0 : e.scrollTop + 480;
					tree.scrollTop += 4800;
					return true;
				})()`)
			}
			time.Sleep(time.Until(began.Add(time.Duration(step+1) * perStep * time.Millisecond)))
		}
	})
	p.key("4")
	p.has(".view .row", "PUT")
	type figures struct {
		Nodes int `json:"nodes"`
		Heap  int `json:"heap"`
	}
	f := eval[figures](p, `({ nodes: document.querySelectorAll("*").length, heap: performance.memory.usedJSHeapSize })`)
	require.NotEmpty(t, all)
	var long []time.Duration // of CPU time
	took := 0
	for _, of := range all {
		if of.cpu > 50*time.Millisecond {
			long = append(long, of.cpu)
		}
		if of.took > 50*time.Millisecond {
			took++
		}
	}
	t.Logf("%d elements, heap %.1f MB; of %d tasks %d took more than 50 ms, and %d used as much CPU time: %v", f.Nodes, float64(f.Heap)/1e6, len(all), took, len(long), long)
	assert.LessOrEqual(t, len(long), 5, "long tasks")
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
