// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/server"
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

// An owner in another namespace is red from the moment at which it is written. What the garbage collector then does to
// the child is a finding.
func TestOwnerInAnotherNamespace(t *testing.T) {
	r := newRecording(true)
	const child, collector = 9, 9
	r.add(&trace.Def{Actor: &trace.Actor{ID: collector, Name: "garbage-collector", Class: trace.ClassSystem}})
	r.add(&trace.Def{Object: &trace.Object{ID: child, UID: "u-c", Resource: deploymentKind, Namespace: "b", Name: "x-b"}})
	r.add(&trace.Watch{ID: "w-x", Actor: controller, Resource: cronTabs, State: "open"})
	r.add(&trace.Watch{ID: "w-d", Actor: controller, Resource: deploymentKind, State: "open"})
	write := func(o trace.ObjectID, by trace.ActorID, kind string, owners ...trace.Owner) {
		r.after(10 * time.Millisecond)
		rv, id := r.nextRV(), r.nextID()
		resource, verb, code := cronTabs, "create", 201
		if o == child {
			resource = deploymentKind
		}
		if kind == "DELETED" {
			verb, code = "delete", 200
		}
		r.add(&trace.Version{Object: o, Type: kind, RV: rv, Generation: 1, By: id, Owners: owners})
		r.add(&trace.Request{ID: id, Actor: by, Began: r.t - 1e6, Verb: verb, Resource: resource, Object: o, Code: code, RVOut: rv})
	}
	owner := trace.Owner{APIVersion: "stable.example.com/v1", Kind: "CronTab", Name: "x", UID: "u-x", Controller: true}
	p := open(t, serve(t, r, live).URL())
	write(cronTabX, kubectl, "ADDED")
	write(child, controller, "ADDED", owner)
	p.has(".tree .row.red", "✗ owner")
	p.has(".tree .row.red", "b/x-b")
	p.click(".tree .row.red")
	p.key("3")
	p.has(".facts .bad", "its owner CronTab default/x is in another namespace")
	r.after(time.Second)
	write(child, collector, "DELETED", owner)
	r.after(time.Second)
	r.add(&trace.Log{Actor: controller, Message: "later"})
	p.key("1")
	p.has(".finding", "was deleted by garbage-collector")
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

func live(o *server.Options) { o.File = "" }

// A control plane that is gone leaves what was recorded readable; another run begins anew.
func TestControlPlaneIsGone(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 30)
	s := serve(t, r, live)
	p := open(t, s.URL())
	p.has(".finding.open", "reconciled by its own status write")
	r.fail(errors.New("connection refused"))
	p.has(".state.bad", "disconnected: as of 12:00:01, trying again")
	p.has(".notice", "connection refused")
	assert.NotContains(t, eval[string](p, `document.querySelector(".figures").innerText`), "/s", "rates are not current")
	p.has(".finding.open", "reconciled by its own status write")
	p.shoot("disconnected")

	other := newRecording(true)
	header := *other.records[0].Body.(*trace.Header)
	header.Run, header.Project = "run-2", "example.com/other"
	other.records[0].Body = &header
	r.mu.Lock()
	r.records, r.failed = other.records, nil
	r.mu.Unlock()
	p.has(".quiet", "Nothing was recorded yet")
	p.has(".state.live", "live")
	p.has(".notice", "a new session began; the one before, with")
	d := doorOf(t, s.URL())
	_, body := d.attempt(t, "GET", "/data/save?before=true", map[string]string{"Authorization": "Bearer " + d.token})
	records := saved(t, body)
	assert.Equal(t, "run-1", records[0].Body.(*trace.Header).Run)
	assert.Len(t, slices.DeleteFunc(records, func(r trace.Record) bool { _, is := r.Body.(*trace.Reconcile); return !is }), 60)
	saves(p, "s")
}

// A page whose server is gone keeps what it has, and says so.
func TestServerIsGone(t *testing.T) {
	s, err := server.New(server.Options{Source: crontab(), File: "crontab.crdctl.gz"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	p := open(t, s.URL(), "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")
	p.has(".finding.open", "reconciled by its own status write")
	cancel()
	require.NoError(t, <-done)
	p.has(".state.bad", "disconnected: as of 12:00:03, trying again")
	p.has(".finding.open", "reconciled by its own status write")
	p.key("4")
	p.has(".view .note", "not answered")
}

// shownFrame is of a frame what tests compare.
type shownFrame struct {
	Seq, Change int64
	State       string
	Saved       int
	Saves       []struct{ Why string }
	Rates       struct{ Denied int }
}

// frameOf returns the first frame after a change that has a state and a record.
func frameOf(t *testing.T, d door, after int64, state string, seq int64) (f shownFrame) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/data/stream?after=%d", d.base, after), nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+d.token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	for frames := json.NewDecoder(answer.Body); f.State != state || f.Seq < seq; {
		f = shownFrame{}
		require.NoError(t, frames.Decode(&f))
	}
	return f
}

// A tab whose connection broke gets what changed meanwhile, also where no record came.
func TestStreamResumes(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 3)
	d := doorOf(t, serve(t, r, live).URL())
	until := func(after int64, state string) shownFrame { return frameOf(t, d, after, state, int64(len(r.records))) }
	before := until(0, "live")
	r.fail(errors.New("connection refused"))
	lost := until(before.Change, "lost")
	r.fail(nil)
	until(0, "live")
	again := until(lost.Change, "live")
	assert.Equal(t, before.Seq, again.Seq, "no record came")
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

// A save after which the controller goes on is not a build.
func TestSaveWithoutRestart(t *testing.T) {
	r := newRecording(false)
	apply := trace.Step{Name: "apply", Took: 5e7, OK: true}
	r.after(time.Second)
	r.add(&trace.Save{Build: 6, Steps: []trace.Step{apply, {Name: "build", Took: 2e9, OK: true}, {Name: "restart", Took: 3e8, OK: true}}})
	r.hotLoop(controller, 300)
	r.add(&trace.Save{Build: 6, Files: []string{"config/rbac/role.yaml"}, Steps: []trace.Step{apply}})
	r.hotLoop(controller, 300)
	p := open(t, serve(t, r).URL())
	p.has(".save", "Applied at 12:00:07, after 50 ms: config/rbac/role.yaml; build 6 goes on.")
	p.has(".brush", "│ build 6")
	p.has(".brush", "│ save")
	assert.False(t, eval[bool](p, `!!document.querySelector(".compare")`))
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

// The URL of another run works in a tab that has the one before.
func TestOtherURLInTheSameTab(t *testing.T) {
	s := serve(t, crontab())
	d := doorOf(t, s.URL())
	p := open(t, d.base+"/#token="+strings.Repeat("0", 64), "401")
	p.has("main", "This page needs the URL that crdctl printed")
	p.do(chromedp.Navigate(s.URL()))
	require.Eventually(t, func() bool {
		found, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`!!document.querySelector(".finding.open")`))
		return err == nil && found // the page is loaded meanwhile
	}, time.Minute, 50*time.Millisecond)
}

// Without the token there is nothing, and the page says what is missing.
func TestPageWithoutToken(t *testing.T) {
	d := doorOf(t, serve(t, crontab()).URL())
	p := open(t, d.base+"/", "401")
	p.has("main", "This page needs the URL that crdctl printed")
}

// Text of objects and log lines stays text.
func TestInjection(t *testing.T) {
	evil := `<img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script>${alert(1)}`
	r := newRecording(false)
	const object trace.ObjectID = 9
	r.add(&trace.Def{Object: &trace.Object{ID: object, UID: "evil", Resource: cronTabs, Namespace: "default", Name: evil}})
	r.add(&trace.Watch{ID: "w", Actor: controller, Resource: cronTabs, State: "open"})
	r.after(time.Second)
	value, err := json.Marshal(evil)
	require.NoError(t, err)
	rv := r.nextRV()
	r.add(&trace.Version{Object: object, Type: "MODIFIED", RV: rv, By: "evil", Finalizers: []string{evil}, Changes: []trace.Change{{Path: `metadata.annotations["` + evil + `"]`, Old: value, New: value}}})
	r.add(&trace.Request{ID: "evil", Actor: controller, Began: r.t, Verb: "update", Resource: cronTabs, Namespace: "default", Name: evil, Object: object, Code: 403, Reason: evil, Message: evil, Warnings: []string{evil}})
	r.add(&trace.Log{Actor: controller, Stream: "stderr", Level: "error", Message: evil, Key: evil, Attrs: map[string]any{"x": evil}})
	r.add(&trace.KubeEvent{Object: object, Type: "Warning", Reason: evil, Message: evil})
	r.add(&trace.Save{Build: 7, Files: []string{evil}, Steps: []trace.Step{{Name: "build", Message: evil}}})
	r.add(&trace.Admission{Type: "validating", Name: evil, Request: "evil", Began: r.t, Err: evil})
	r.add(&trace.Reconcile{ID: "r", Controller: evil, Actor: controller, Key: evil, State: "begin", Began: r.t, Source: "hook"})
	r.after(time.Millisecond)
	r.add(&trace.Reconcile{ID: "r", Controller: evil, Actor: controller, Key: evil, State: "end", Began: r.t - 1e6, Result: "error", Err: evil, Source: "hook"})
	p := open(t, serve(t, r).URL())
	p.has(".save pre", evil)
	p.has(".log .row", "<img src=x")
	p.click(".tree .row")
	p.has(".object-head", "<img src=x")
	p.has(".facts", evil)
	p.key("4")
	p.has("crd-rows[aria-label=Requests] .row", "<img src=x")
	p.key("j")
	p.has(".why", evil)
	p.key("2")
	p.waits(`document.querySelector("canvas")?.width > 100`)
	p.key("t")
	p.has(".view .row", "<img src=x")
	p.key("5")
	p.has(".view", "<img src=x")
	p.key("6")
	p.has(".rights-parts", "<img src=x")
	assert.False(t, eval[bool](p, `document.title.includes("pwned") || !!document.querySelector("img, #app script")`))
}

// A gap is drawn, with how many of what, and why.
func TestGap(t *testing.T) {
	r := crontab()
	r.add(&trace.Gap{From: r.t - 1e9, To: r.t, Dropped: map[trace.Kind]int64{trace.KindEvent: 312}, Why: "intake was full"})
	p := open(t, serve(t, r).URL())
	p.has(".gap", "312 event dropped: intake was full")
	assert.True(t, eval[bool](p, `!!document.querySelector(".brush .gap")`))
}

// A CRD that the API server refuses is a card with its words; fields that the API server set can be hidden; of objects
// that do nothing, few are listed at first.
func TestRefusedCRDAndQuietObjects(t *testing.T) {
	r := newRecording(false)
	r.after(time.Second)
	r.hotLoop(controller, 3)
	rv := r.nextRV()
	r.add(&trace.Version{Object: cronTabY, Type: "MODIFIED", RV: rv, By: "d", Changes: []trace.Change{
		{Path: "spec.policy", New: json.RawMessage(`"File"`)}, {Path: "spec.image", New: json.RawMessage(`"x"`)}, {Path: "status.n", New: json.RawMessage(`1`)},
	}})
	r.add(&trace.Request{
		ID: "d", Actor: controller, Began: r.t, Verb: "update", Resource: cronTabs, Namespace: "default", Name: "y", Object: cronTabY, Code: 200, RVOut: rv,
		Drift: []trace.Change{{Path: "spec.policy", Old: json.RawMessage(`""`), New: json.RawMessage(`"File"`)}},
	})
	for i := range trace.ObjectID(40) {
		r.add(&trace.Def{Object: &trace.Object{ID: 100 + i, UID: fmt.Sprintf("u-%d", i), Resource: cronTabs, Namespace: "default", Name: fmt.Sprintf("quiet-%02d", i)}})
		r.add(&trace.Version{Object: 100 + i, Type: "ADDED", RV: r.nextRV()})
	}
	r.add(&trace.Save{Build: 6, Steps: []trace.Step{{Name: "crds", Message: "crontabs.stable.example.com: spec.versions[0].schema: Required value"}}})
	p := open(t, serve(t, r).URL())
	p.has(".save.broken", "The CRD was refused")
	p.has(".save pre", "schema: Required value")
	p.has(".tree .row", "21 more, all quiet")
	eval[bool](p, `([...document.querySelectorAll(".tree .row")].at(-1).click(), true)`)
	p.waits(`!document.querySelector(".tree").innerText.includes("all quiet") && document.querySelector(".tree crd-rows").getAttribute("aria-rowcount") === "44"`)
	eval[bool](p, `([...document.querySelectorAll(".tree .row")].find((e) => e.innerText.includes("default/y")).click(), true)`)
	p.has(".object-parts .field", "not sent: a default, or a webhook's")
	p.has(".object-parts .field", "spec.image")
	eval[bool](p, `([...document.querySelectorAll(".view .chip")].find((e) => e.innerText.includes("defaults")).click(), true)`)
	p.waits(`!document.querySelector(".object-parts .fields").innerText.includes("spec.policy")`)
	p.has(".object-parts .hint", "1 more hidden")
}
