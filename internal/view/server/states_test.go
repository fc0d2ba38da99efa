// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// A page without anything says what makes something, and shows that as soon as it is recorded.
func TestNothingYet(t *testing.T) {
	r := newRecording(true)
	p := open(t, serve(t, r, live).URL())
	p.has(".quiet", "Nothing was recorded yet")
	p.has(".hint", "crdctl kubectl apply -f FILE")
	p.has(".state.live", "live")
	p.shoot("empty")
	r.after(time.Second)
	r.hotLoop(controller, 30)
	p.has(".finding.open", "reconciled by its own status write")
	p.waits(`!document.body.innerText.includes("Nothing was recorded yet")`)
}

// A recording without an end, or one that was cut from it, has a notice.
func TestIncompleteRecording(t *testing.T) {
	r := newRecording(false)
	r.records[0].Body.(*trace.Header).Incomplete = true
	p := open(t, serve(t, r).URL())
	p.has(".notice", "the recording is incomplete: its run goes on, or was killed")
}

// What makes the reconciles of a controller visible depends on the library that it is made with.
func TestReconcilesAreInvisible(t *testing.T) {
	r := newRecording(true)
	p := open(t, serve(t, r, live).URL())
	r.add(&trace.Request{ID: r.nextID(), Actor: controller, Began: r.t, Verb: "list", Resource: cronTabs, Code: 200})
	r.add(&trace.Log{Actor: controller, Stream: "stderr", Level: "info", Message: "Starting controller"})
	r.after(time.Second)
	r.add(&trace.Watch{ID: "w", Actor: controller, Resource: cronTabs, State: "open"})
	r.add(&trace.Event{Watch: "w", Actor: controller, Type: "ADDED", Object: cronTabX, RV: r.nextRV()})
	r.after(6 * time.Second)
	r.add(&trace.Log{Actor: controller, Stream: "stderr", Level: "info", Message: "Waiting"})
	p.has(".hint", "Reconciles that send nothing are invisible: the controller does not report its reconciles. Those of controller-runtime and of crdctl init can.")
	r.add(&trace.Log{Actor: controller, Stream: "stderr", Level: "info", Message: "Starting Controller", Attrs: map[string]any{"controllerKind": "CronTab"}})
	p.has(".hint", "Add --zap-log-level=5 --zap-encoder=json to its arguments, or -v=5 if it logs with klog.")
	p.key("5")
	p.has(".hint", "Add --zap-log-level=5")
}

// While the controller is built, the page says that it is missing, and then what it can be given to do.
func TestControllerIsMissing(t *testing.T) {
	r := newRecording(true)
	r.records = slices.DeleteFunc(r.records, func(rec trace.Record) bool {
		d, ok := rec.Body.(*trace.Def)
		return ok && d.Actor != nil && d.Actor.ID == controller
	})
	for i := range r.records {
		r.records[i].Seq = int64(i + 1)
	}
	p := open(t, serve(t, r, live).URL())
	r.add(&trace.Request{ID: r.nextID(), Actor: kubectl, Began: r.t, Verb: "list", Resource: cronTabs, Code: 200})
	p.has(".quiet", "No controller has sent a request yet.")
	r.add(&trace.Def{Actor: &trace.Actor{ID: controller, Name: "crontab", Class: trace.ClassController, Build: 1}})
	r.add(&trace.Request{ID: r.nextID(), Actor: controller, Began: r.t, Verb: "list", Resource: cronTabs, Code: 200})
	p.has(".quiet", "✓ No finding.")
	p.has(".hint", "crdctl kubectl apply -f FILE")
}

// Through a proxy, other clients, roles and admission are not seen: the page does not say that no webhook was called, and lists what can be missing.
func TestThroughAProxy(t *testing.T) {
	r := newRecording(true)
	r.records[0].Body.(*trace.Header).Plane = trace.PlaneProxy
	r.hotLoop(controller, 30)
	p := open(t, serve(t, r, live).URL())
	p.has(".finding.open", "reconciled by its own status write")
	p.has(".undetermined", "field-fight") // also where something else was found
	p.key("6")
	p.has(".rights-parts .hint", "Webhooks, conversions and policies are not recorded: the cluster is seen through a proxy.")
	p.has(".rights-parts .hint", "Not recorded: the cluster is seen through a proxy.")
	p.waits(`!/was called|--as-service-account/.test(document.querySelector(".rights-parts").innerText)`)
}

// Where only the requests of the controller are asked for, the answer is about these.
func TestNothingWasDenied(t *testing.T) {
	r := newRecording(true)
	r.add(&trace.Request{ID: r.nextID(), Actor: kubectl, Began: r.t, Verb: "list", Resource: secrets, Code: 403, Reason: "Forbidden", Decision: "forbid"})
	p := open(t, serve(t, r, live).URL())
	p.key("6")
	p.has(".rights-parts .quiet", "✓ No request of the controller was denied.")
	p.click(".chips[aria-label=Filter] .chip")
	p.has(".rights-parts .bad", "secrets")
}

// The page says that nothing was printed only about a controller whose lines are recorded: those of the built-in one are not in recordings of
// older versions.
func TestLinesThatAreNotRecorded(t *testing.T) {
	for text, levels := range map[string][]string{
		"The controller printed nothing.":                                     {"audit", "log"},
		"What the controller prints is not recorded here: see where it runs.": {"audit", "loop"},
	} {
		r := newRecording(true)
		r.records[0].Body.(*trace.Header).Levels = levels
		p := open(t, serve(t, r, live).URL())
		r.add(&trace.Request{ID: r.nextID(), Actor: controller, Began: r.t, Verb: "list", Resource: cronTabs, Code: 200})
		p.has(".log", text)
	}
}

// Values that are not recorded are not shown as missing ones.
func TestValuesAreNotRecorded(t *testing.T) {
	r := newRecording(false)
	r.records[0].Body.(*trace.Header).Bodies = trace.BodiesNone
	r.hotLoop(controller, 1)
	rv := r.nextRV()
	r.add(&trace.Version{Object: cronTabX, Type: "MODIFIED", RV: rv, Generation: 2, By: "w", Changes: []trace.Change{{Path: "spec.replicas"}}})
	r.add(&trace.Request{ID: "w", Actor: kubectl, Began: r.t, Verb: "update", Resource: cronTabs, Namespace: "default", Name: "x", Object: cronTabX, Code: 200, RVOut: rv})
	p := open(t, serve(t, r).URL())
	p.click(".tree .row")
	p.has(".object-parts .field", "spec.replicas: changed; value not recorded")
	p.has("crd-rows[aria-label=Versions] .row", "spec.replicas changed (value not recorded)")
	p.click("crd-rows[aria-label=Versions] .row")
	p.has(".why .field", "spec.replicas: changed; value not recorded")
	assert.Equal(t, "--record-bodies changed records values", eval[string](p, `document.querySelector(".why .field span").title`))
	assert.NotContains(t, eval[string](p, `document.body.innerText`), "(none)")
}

// A recording whose findings were resolved is not one without findings, and lists them.
func TestAllResolved(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 30)
	r.after(2 * time.Minute)
	r.add(&trace.Request{ID: r.nextID(), Actor: controller, Began: r.t, Verb: "list", Resource: secrets, Code: 200})
	r.add(&trace.Log{Actor: controller, Message: "later"})
	p := open(t, serve(t, r, live).URL())
	p.has(".quiet", "No open finding; 2 were resolved.")
	p.has(".hidden[role=status]", "No open finding; 2 were resolved")
	p.has("h2 button[aria-expanded=false]", "2 findings resolved")
	file := newRecording(false)
	file.records = r.records
	p = open(t, serve(t, file).URL())
	p.has(".quiet", "No open finding; 2 were resolved.")
	p.has(".finding.resolved", "reconciled by its own status write")
	p.click("h2 button[aria-expanded=true]")
	p.waits(`!document.querySelector(".finding")`)
}

// What no record shows is not called quiet.
func TestNotDetermined(t *testing.T) {
	r := newRecording(false)
	r.after(time.Second)
	r.add(&trace.Request{ID: "get", Actor: controller, Began: r.t, Verb: "get", Resource: cronTabs, Namespace: "default", Name: "x", Object: cronTabX, Code: 200})
	r.add(&trace.Metrics{Samples: map[string]float64{`controller_runtime_reconcile_total{result="success"}`: 7, "workqueue_depth": 2}})
	p := open(t, serve(t, r).URL())
	p.has(".hint", "Its metrics count 7 reconciles")
	p.has(".quiet", "✓ No finding.")
	p.has(".undetermined", "no reconcile is recorded")
}

// A gap is drawn, with how many of what, and why.
func TestGap(t *testing.T) {
	r := crontab()
	r.add(&trace.Gap{From: r.t - 1e9, To: r.t, Dropped: map[trace.Kind]int64{trace.KindEvent: 312}, Why: "intake was full"})
	p := open(t, serve(t, r).URL())
	p.has(".gap", "312 event dropped: intake was full")
	assert.True(t, eval[bool](p, `!!document.querySelector(".brush .gap")`))
}

// Controllers of controller-runtime print by default the end of a reconcile alone, and only if it failed: how long it took, and what it wrote, is not known.
func TestReconcileWithoutItsBegin(t *testing.T) {
	r := newRecording(false)
	r.after(40 * time.Second)
	r.add(&trace.Version{Object: cronTabX, Type: "ADDED", RV: r.nextRV()})
	r.add(&trace.Watch{ID: "w", Actor: controller, Resource: cronTabs, State: "open"})
	r.add(&trace.Reconcile{ID: "r", Controller: "crontab", Actor: controller, Key: "default/x", Object: cronTabX, State: "end", Result: "error", Err: "boom", Source: "log"})
	p := open(t, serve(t, r).URL())
	p.has(".figures", "1 failed reconcile")
	p.has(".figures", "request p50 – p99 –")
	p.has(".tree .row", "default/x")
	assert.NotRegexp(t, `idle|error`, eval[string](p, `document.querySelector(".tree").innerText`), "it can have succeeded since")
	p.has(".last", "Last reconcile at 12:00:40.000: CronTab default/x error: boom; when it began, and what it wrote, is not recorded.")
	p.key("5")
	p.has(".view", "waited and worked")
	assert.NotContains(t, eval[string](p, `document.querySelector(".view").innerText`), "back-off")
	p.key("1")
	p.click(".last .ref")
	p.has(".why", "reconcile of default/x by crontab")
	assert.NotContains(t, eval[string](p, `document.body.innerText`), "0 ms")
}
