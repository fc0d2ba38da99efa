// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/server"
)

// recording is a Source that a test makes, at the times that it says.
type recording struct {
	mu      sync.Mutex
	records []trace.Record
	live    bool
	failed  error
	t       int64
	rv      uint64
	n       int
}

// Live implements trace.Source.
func (r *recording) Live() bool { return r.live }

// Records implements trace.Source.
func (r *recording) Records(ctx context.Context, after int64) iter.Seq2[trace.Record, error] {
	return func(yield func(trace.Record, error) bool) {
		first := true
		for ctx.Err() == nil {
			r.mu.Lock()
			all, failed := r.records, r.failed
			r.mu.Unlock()
			if failed != nil {
				yield(trace.Record{}, failed)
				return
			}
			from := 0
			if !first {
				from = int(min(after, int64(len(all)))) // the Seq of a record is its place
			}
			for _, rec := range all[from:] {
				_, def := rec.Body.(*trace.Def)
				_, header := rec.Body.(*trace.Header)
				if (rec.Seq > after || first && (def || header)) && !yield(rec, nil) {
					return
				}
				after = max(after, rec.Seq)
			}
			first = false
			if !r.live {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func (r *recording) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = err
}

// add adds a record now, and returns its Seq.
func (r *recording) add(b trace.Body) int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	seq := int64(len(r.records) + 1)
	r.records = append(r.records, trace.Record{Seq: seq, T: r.t, Body: b})
	return seq
}

func (r *recording) after(d time.Duration) { r.t += int64(d) }

func (r *recording) nextRV() uint64 { r.rv++; return 5000 + r.rv }

func (r *recording) nextID() string { r.n++; return fmt.Sprintf("a%04d", r.n) }

const (
	controller trace.ActorID = iota + 1
	kubectl
	deployments
	secondBuild
)

const (
	cronTabs trace.ResourceID = iota + 1
	deploymentKind
	secrets
)

const (
	cronTabX trace.ObjectID = iota + 1
	deploymentX
	cronTabY
)

// newRecording has actors, resources and objects.
func newRecording(live bool) *recording {
	r := &recording{live: live}
	r.add(&trace.Header{
		Format: trace.Format, Crdctl: "v1.2.3", Kubernetes: "v1.37.1", Start: "2026-11-23T12:00:00Z", Run: "run-1", Project: "example.com/crontab",
		Plane: trace.PlaneOwn, Bodies: trace.BodiesChanged, Redacted: []string{"data of Secrets"},
	})
	for _, d := range []trace.Def{
		{Actor: &trace.Actor{ID: controller, Name: "crontab", Class: trace.ClassController, User: "crdctl:controller", Agent: "crontab/v0", Build: 6}},
		{Actor: &trace.Actor{ID: kubectl, Name: "kubectl", Class: trace.ClassKubectl, User: "admin", Agent: "kubectl/v1.37.1"}},
		{Actor: &trace.Actor{ID: deployments, Name: "deployment-controller", Class: trace.ClassSystem, User: "system:crdctl"}},
		{Resource: &trace.Resource{ID: cronTabs, Group: "stable.example.com", Version: "v1", Resource: "crontabs", Kind: "CronTab", Namespaced: true}},
		{Resource: &trace.Resource{ID: deploymentKind, Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true}},
		{Resource: &trace.Resource{ID: secrets, Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}},
		{Object: &trace.Object{ID: cronTabX, UID: "u-x", Resource: cronTabs, Namespace: "default", Name: "x"}},
		{Object: &trace.Object{ID: deploymentX, UID: "u-d", Resource: deploymentKind, Namespace: "default", Name: "x"}},
		{Object: &trace.Object{ID: cronTabY, UID: "u-y", Resource: cronTabs, Namespace: "default", Name: "y"}},
	} {
		r.add(&d)
	}
	return r
}

// hotLoop adds a controller whose status write causes its next reconcile, n times.
func (r *recording) hotLoop(by trace.ActorID, n int) {
	for _, w := range []trace.Watch{
		{ID: "w-x", Actor: by, Resource: cronTabs, State: "open"}, {ID: "w-x", Actor: by, Resource: cronTabs, State: "synced"},
		{ID: "w-d", Actor: by, Resource: deploymentKind, State: "open", Labels: "app=crontab"}, {ID: "w-d", Actor: by, Resource: deploymentKind, State: "synced"},
	} {
		r.after(time.Millisecond)
		r.add(&w)
	}
	rv := r.nextRV()
	create := r.nextID()
	r.add(&trace.Version{Object: cronTabX, Type: "ADDED", RV: rv, Generation: 1, By: create, Full: json.RawMessage(
		`{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"x","namespace":"default"},"spec":{"cronSpec":"* * * * */5","replicas":1}}`)})
	r.after(2 * time.Millisecond)
	r.add(&trace.Request{ID: create, Actor: kubectl, Began: r.t - 3e6, Verb: "create", Resource: cronTabs, Namespace: "default", Name: "x", Object: cronTabX, Code: 201, RVOut: rv, FieldManager: "kubectl-create", Decision: "allow"})
	r.add(&trace.Event{Watch: "w-x", Actor: by, Type: "ADDED", Object: cronTabX, RV: rv})
	for i := range n {
		r.after(20 * time.Millisecond)
		id := fmt.Sprintf("rec-%d-%d", by, i)
		r.add(&trace.Reconcile{
			ID: id, Controller: "crontab", Actor: by, Key: "default/x", Object: cronTabX, State: "begin", Began: r.t, Waited: 1e6, Source: "hook",
			Causes: []trace.Cause{{Why: "own", Object: cronTabX, RV: rv, Certainty: trace.Certain, Proof: "the queue reported it", At: r.t - 1e6}},
		})
		began := r.t
		if i == 0 {
			d, request := r.nextRV(), id+".1"
			r.after(3 * time.Millisecond)
			r.add(&trace.Version{Object: deploymentX, Type: "ADDED", RV: d, Generation: 1, By: request, Owners: []trace.Owner{{APIVersion: "stable.example.com/v1", Kind: "CronTab", Name: "x", UID: "u-x", Controller: true}}})
			r.add(&trace.Request{ID: request, Actor: by, Began: began + 1e6, Verb: "create", Resource: deploymentKind, Namespace: "default", Name: "x", Object: deploymentX, Code: 201, RVOut: d, Layers: map[string]int64{"decode": 8e4, "admission": 2e5}})
			r.add(&trace.Event{Watch: "w-d", Actor: by, Type: "ADDED", Object: deploymentX, RV: d})
			for range 2 { // a single refusal may be handled
				r.add(&trace.Request{ID: r.nextID(), Actor: by, Began: r.t, Verb: "list", Resource: secrets, Code: 403, Reason: "Forbidden", Message: `secrets is forbidden: User "crdctl:controller" cannot list resource "secrets"`, Decision: "forbid"})
			}
		}
		r.after(2 * time.Millisecond)
		next, request := r.nextRV(), id+".2"
		r.add(&trace.Version{
			Object: cronTabX, Type: "MODIFIED", RV: next, Prev: rv, Generation: 1, By: request,
			Changes: []trace.Change{{Path: "status.lastSeen", Old: json.RawMessage(fmt.Sprintf(`"2026-11-23T12:00:%02dZ"`, i%60)), New: json.RawMessage(fmt.Sprintf(`"2026-11-23T12:00:%02dZ"`, (i+1)%60))}},
		})
		r.add(&trace.Request{
			ID: request, Actor: by, Began: r.t - 1e6, Verb: "update", Resource: cronTabs, Subresource: "status", Namespace: "default", Name: "x", Object: cronTabX,
			Code: 200, RVIn: rv, RVOut: next, Layers: map[string]int64{"serialize": 7e4, "write": 1e5}, Bytes: 1300, Decision: "allow", Because: "ClusterRoleBinding crontab",
		})
		r.after(500 * time.Microsecond)
		r.add(&trace.Event{Watch: "w-x", Actor: by, Type: "MODIFIED", Object: cronTabX, RV: next})
		r.add(&trace.Log{Actor: by, Build: 6, Stream: "stderr", Level: "info", Message: "Successfully synced", Key: "default/x", Reconcile: id, Certainty: trace.Certain})
		r.after(200 * time.Microsecond)
		r.add(&trace.Reconcile{ID: id, Controller: "crontab", Actor: by, Key: "default/x", Object: cronTabX, State: "end", Began: began, Result: "ok", Source: "hook"})
		rv = next
	}
}

// crontab is a recording of a hot loop in build 6, as a file.
func crontab() *recording {
	r := newRecording(false)
	r.after(time.Second)
	r.add(&trace.Save{Build: 6, Files: []string{"internal/controller/controller.go"}, Steps: []trace.Step{{Name: "build", Took: 2e9, OK: true}, {Name: "restart", Took: 3e8, OK: true}}})
	r.hotLoop(controller, 100)
	return r
}

func live(o *server.Options) { o.File = "" }
