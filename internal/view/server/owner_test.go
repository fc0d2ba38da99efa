// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

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
