// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"net/http"
	"testing"

	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// discard is a sink that keeps nothing.
type discard struct{ defs *trace.Defs }

func (discard) Add(trace.Body)          {}
func (discard) AddAt(int64, trace.Body) {}
func (discard) Now() int64              { return 1 << 40 }
func (d discard) Defs() *trace.Defs     { return d.defs }

// widget is about what the API server answers for one custom resource: 1.5 KB, more than half of it managedFields.
func widget(n, rv int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"annotations":{"example.com/note":"some text that is forty characters long"},"creationTimestamp":"2026-11-21T00:00:00Z","generation":1,"labels":{"app":"crontab","tier":"backend","team":"payments","env":"production","zone":"eu-1"},`+
		`"managedFields":[{"apiVersion":"stable.example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:example.com/note":{}},"f:labels":{".":{},"f:app":{},"f:tier":{},"f:team":{},"f:env":{},"f:zone":{}}},"f:spec":{".":{},"f:cronSpec":{},"f:image":{},"f:replicas":{},"f:description":{}}},"manager":"bench","operation":"Update","time":"2026-11-21T00:00:00Z"},{"apiVersion":"stable.example.com/v1beta1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{".":{},"f:conditions":{".":{},"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{},"f:type":{}}}}},"manager":"bench-status","operation":"Update","subresource":"status","time":"2026-11-21T00:00:00Z"}],`+
		`"name":"crontab-%06[1]d","namespace":"default","resourceVersion":"%[2]d","uid":"6f1c2a52-0000-4000-8000-%012[1]d"},"spec":{"cronSpec":"* * * * */5","image":"nginx:1.7.9","replicas":%[2]d},"status":{"conditions":[{"lastTransitionTime":"2026-11-21T00:00:00Z","message":"all is well with this object","reason":"AsExpected","status":"True","type":"Ready"}]}}`, n, rv)
}

// BenchmarkWrite decodes an update with its answer, and its delivery to a controller and to the garbage collector.
func BenchmarkWrite(b *testing.B) {
	const objects = 1000
	r := New(Options{Sink: discard{trace.NewDefs(func(*trace.Def) {})}, Redact: redact.New(redact.Options{})}, "admin", "controller", "system")
	w := newWorker(r, nil)
	info := func(verb string) *request.RequestInfo {
		return &request.RequestInfo{IsResourceRequest: true, Verb: verb, APIGroup: "stable.example.com", APIVersion: "v1", Resource: "crontabs", Namespace: "default", Name: "x"}
	}
	watching := func(user string) *watch {
		open := newWatch(r, &exchange{id: user, user: user, info: info("watch"), answerType: typeJSON})
		open.open(w, 0)
		return open
	}
	controller, collector := watching("controller"), watching("system")
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		body := widget(n%objects, n)
		sent := &tee{copied: widget(n%objects, max(1, n-objects))}
		frame := fmt.Appendf(nil, `{"type":"MODIFIED","object":%s}`+"\n", body)
		partial := fmt.Appendf(nil, `{"type":"MODIFIED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"crontab-%06[1]d","namespace":"default","resourceVersion":"%[2]d","uid":"6f1c2a52-0000-4000-8000-%012[1]d"}}}`+"\n", n%objects, n)
		delivery{controller, 1, 1, frame}.work(w)
		delivery{collector, 1, 1, partial}.work(w)
		(&exchange{
			id: "x", user: "controller", agent: "manager/v1", method: http.MethodPut, contentType: typeJSON, info: info("update"), code: http.StatusOK, answerType: typeJSON,
			answer: body, sent: sent, began: 1, ended: 2,
		}).work(w)
		w.versions.settle(1<<40, false)
	}
}
