// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

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

// The second in which a save ends has records of both builds, and is not counted before it.
func TestSecondOfASave(t *testing.T) {
	r := newRecording(false)
	r.after(time.Second)
	r.add(&trace.Request{ID: "old", Actor: controller, Began: r.t, Verb: "list", Resource: secrets, Code: 200})
	r.after(6500 * time.Millisecond)
	r.add(&trace.Save{Build: 6, Files: []string{"main.go"}, Steps: []trace.Step{{Name: "restart", Took: 3e8, OK: true}}})
	r.hotLoop(controller, 300)
	p := open(t, serve(t, r).URL())
	p.has(".compare tr", "reconciles a minute")
	assert.Equal(t, "0", eval[string](p, `document.querySelector(".compare tbody td").innerText`))
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
