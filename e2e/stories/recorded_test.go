// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

const (
	recordedCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.recorded.example.com}
spec:
  group: recorded.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
	// A change of spec.message changes one of the three children.
	recordedHook = `#!/usr/bin/env python3
import json, sys, time
parent = json.load(sys.stdin)["parent"]
time.sleep(0.12)
data = {"a": parent["spec"]["message"], "b": "same", "c": "same"}
children = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"is": data[name]}} for name in data]
json.dump({"children": children}, sys.stdout)
`
	recordedObject = `apiVersion: recorded.example.com/v1
kind: Gadget
metadata: {name: demo, namespace: default}
spec: {message: first}
---
apiVersion: v1
kind: Namespace
metadata: {name: other}
---
apiVersion: recorded.example.com/v1
kind: Gadget
metadata: {name: second, namespace: other}
spec: {message: always}
`
)

// A recording of the built-in controller has, for each reconcile, all that led to it, what the hook was asked and answered, and why a
// child was written or not; each link is certain.
func TestTheBuiltInControllerIsRecorded(t *testing.T) {
	w := newWorld(t)
	in := func(name string) string { return filepath.Join(w.dir, name) }
	w.write(in("crd.yaml"), recordedCRD)
	w.write(in("sync.py"), recordedHook)
	w.check(os.Chmod(in("sync.py"), 0o755))
	w.write(in("object.yaml"), recordedObject)
	run := w.start(w.dir, crdctl, "run", "--builtin", "-f", "crd.yaml", "--hook", "./sync.py", "--owns", "v1/ConfigMap", "--resync", "0s", "--hook-parallel", "1",
		"--record", "recording.crdctl.gz", "--record-bodies", "all")
	run.waitFor("Started workers")
	w.run(w.dir, crdctl, "kubectl", "apply", "-f", "object.yaml")
	printed := func(texts ...string) {
		t.Helper()
		w.until(fmt.Sprintf("%q are printed", texts), func() bool {
			return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(run.text(), text) })
		})
	}
	for _, name := range []string{"a", "b", "c"} {
		printed(`Child created kind=Gadget key=default/demo child="ConfigMap default/`+name+`"`, `Child created kind=Gadget key=other/second child="ConfigMap other/`+name+`"`)
	}
	run.waitFor("Successfully synced kind=Gadget key=default/demo", "Successfully synced kind=Gadget key=default/demo") // the second is about the children's events
	w.replace(in("object.yaml"), "first", "second")
	w.run(w.dir, crdctl, "kubectl", "apply", "-f", "object.yaml")
	run.waitFor(`Child updated kind=Gadget key=default/demo child="ConfigMap default/a"`, "Successfully synced kind=Gadget key=default/demo", "Successfully synced kind=Gadget key=default/demo")
	w.replace(in("sync.py"), `"b": "same"`, `"b": "edited"`)
	run.waitFor("Hook or templates changed")
	// Both objects are queued again at once, and one hook runs at a time.
	printed(`Child updated kind=Gadget key=default/demo child="ConfigMap default/b"`, `Child updated kind=Gadget key=other/second child="ConfigMap other/b"`)
	run.waitFor("Successfully synced kind=Gadget key=default/demo", "Successfully synced kind=Gadget key=default/demo") // a stop would cut the second off
	require.Equal(t, 0, run.interrupt())
	w.expectRecorded(in("recording.crdctl.gz"))

	// All is well, and the page has what the hook was asked. On a busy machine a hook in Python takes a second, which is a finding.
	out, stderr, err := w.try(w.dir, crdctl, "view", "recording.crdctl.gz", "--findings", "-o", "json")
	require.Contains(t, []int{0, 1}, exitCode(err), stderr)
	p, served := w.view(w.browse(), w.dir, "recording.crdctl.gz")
	if strings.Contains(out, `"type": "slow-reconcile"`) {
		assert.Equal(t, 1, strings.Count(out, `"certainty": `), out)
	} else {
		assert.Contains(t, out, `"findings": []`)
		p.shows(".quiet", "No finding.")
	}
	p.shows(".last", "Gadget ")
	p.press("2")
	p.press("t")
	p.shows("crd-rows[aria-label=Flow] .row", "reconcile of Gadget default/demo: ok")
	p.click("crd-rows[aria-label=Flow] .row", "reconcile of Gadget default/demo: ok")
	p.shows(".why", "same as last applied")
	p.until("a reconcile says that the change of the hook caused it", func() bool {
		p.click(`[aria-label="Zoom out"]`, "−") // on a busy machine a hook takes seconds
		p.press("j")
		return p.has(".why .item.certain", "the hook changed")
	})
	p.shows(".why", "in the queue")
	p.click(".why .ref", "hook ./sync.py sync: ")
	p.shows(".why h4", "Question")
	p.shows(".why pre", `"apiVersion": "recorded.example.com/v1"`)
	p.shows(".why h4", "Answer")
	p.shows(".why pre", `"is": "edited"`)
	p.press("6")
	p.shows(".rights-parts", "sync.py")
	w.end(served)
}

// records yields those of a recording.
func (w *world) records(file string) iter.Seq[trace.Record] {
	return func(yield func(trace.Record) bool) {
		w.Helper()
		recording, err := trace.OpenFile(file)
		w.check(err)
		defer recording.Close() //nolint:errcheck // it was read
		for r, err := range recording.Records(w.Context(), 0) {
			w.check(err)
			if !yield(r) {
				return
			}
		}
	}
}

func (w *world) expectRecorded(file string) {
	w.Helper()
	begun, calls, requests := map[string]*trace.Reconcile{}, map[string]*trace.Hook{}, map[string][]string{}
	decided := map[string][]string{}
	var afterEdit []string // reconciles because of the hook's change
	for r := range w.records(file) {
		switch b := r.Body.(type) {
		case *trace.Reconcile:
			if b.State == "begin" {
				begun[b.ID] = b
			}
			if slices.ContainsFunc(b.Causes, func(c trace.Cause) bool { return c.Why == "hook" }) {
				afterEdit = append(afterEdit, b.ID)
			}
		case *trace.Hook:
			calls[b.Reconcile] = b
		case *trace.Request:
			if id, _, ok := strings.Cut(b.ID, "."); ok {
				requests[id] = append(requests[id], b.Verb+" "+b.Name)
			}
		case *trace.Decision:
			decided[b.Reconcile] = append(decided[b.Reconcile], b.Child+": "+b.Action+", "+b.Why)
		}
	}
	for id, r := range begun {
		assert.NotEmpty(w, r.Causes, "causes of %s", id)
		for _, c := range r.Causes {
			assert.Equal(w, trace.Certain, c.Certainty, "a cause of %s: %+v", id, c)
		}
	}
	const same = ": none, same as last applied"
	const noStatus = "status: none, the answer has none"
	want := []string{"ConfigMap default/a: update, the answer changed", "ConfigMap default/b" + same, "ConfigMap default/c" + same, noStatus}
	changed := ""
	for id, all := range decided {
		if slices.Equal(all, want) {
			changed = id
		}
	}
	require.NotEmpty(w, changed, "no reconcile changed one child and left two: %q", decided)
	assert.Equal(w, "own", begun[changed].Causes[0].Why)
	assert.NotZero(w, begun[changed].Waited, "wait in the queue")
	assert.Equal(w, []string{"apply a"}, requests[changed], "requests of the reconcile")
	call := calls[changed]
	require.NotNil(w, call, "call of the hook")
	waited := time.Duration(0)
	for _, id := range afterEdit {
		if call := calls[id]; call != nil {
			waited = max(waited, time.Duration(call.Waited))
		}
	}
	assert.Greater(w, waited, 50*time.Millisecond, "both were queued at once: one waits for the hook of the other")
	assert.Contains(w, string(call.Question), `"message":"second"`)
	assert.Contains(w, string(call.Answer), `"second"`)
	assert.True(w, slices.ContainsFunc(afterEdit, func(id string) bool {
		return slices.Contains(decided[id], "ConfigMap default/b: update, the answer changed")
	}), "decided after the edit of the hook: %q of %q", decided, afterEdit)
}
