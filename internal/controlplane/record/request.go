// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/diff"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// work makes the records of an answered request.
func (x *exchange) work(w *worker) {
	x.actor = w.actor(x.user, x.agent)
	if x.info == nil || !x.info.IsResourceRequest {
		w.other(x)
		return
	}
	if x.info.Verb == "list" && x.ignored() {
		return // it is not read
	}
	answered, sent := x.decode()
	rec := x.record(w, answered)
	rec.Object, rec.NoOp = w.written(x, rec, answered, sent)
	if x.ignored() {
		return
	}
	rec.Body = w.body(x, sent)
	rec.Actor = w.Sink.Defs().Actor(x.actor)
	w.Sink.AddAt(x.ended, rec)
	w.kubeEvent(x, answered)
}

// ignored reports whether a request makes no record of its own: what the API server and the controllers in this process
// read, and what creates the objects that every cluster has.
func (x *exchange) ignored() bool {
	return x.actor.Class == trace.ClassSystem && x.code < http.StatusBadRequest && (!changes(x.method) || x.bootstraps())
}

func (x *exchange) bootstraps() bool {
	return x.actor.Class == trace.ClassSystem && (x.actor.Name == Bootstrap || x.actor.Name == apiServer)
}

// other records a request that is not about a resource, or one that was refused before that was known.
func (w *worker) other(x *exchange) {
	if x.actor.Class == trace.ClassSystem || x.actor.Class == trace.ClassCrdctl {
		return
	}
	rec := &trace.Request{
		ID: x.id, Actor: w.Sink.Defs().Actor(x.actor), Began: x.began, Verb: strings.ToLower(x.method), Path: x.path,
		Code: x.code, Bytes: x.bytes, Decision: x.decision, Because: x.because,
	}
	if x.code >= http.StatusBadRequest {
		if status, err := decode(x.answerType, x.answerEncoding, x.answer); err == nil {
			rec.Reason, rec.Message = status.Reason, w.Redact.Message(redact.Target{}, status.Message)
		}
	}
	w.Sink.AddAt(x.ended, rec)
}

// decode reads what was answered and what was sent, as far as they are objects; nil for what is not.
func (x *exchange) decode() (answered, sent *object) {
	answered, err := decode(x.answerType, x.answerEncoding, x.answer)
	if err != nil {
		answered = nil
	}
	if x.sent != nil && len(x.sent.copied) > 0 && !strings.HasPrefix(x.contentType, "application/json-patch") {
		if sent, err = decode(x.contentType, "", x.sent.copied); err != nil {
			sent = nil
		}
	}
	return answered, sent
}

// record fills in what the request itself tells.
func (x *exchange) record(w *worker, answered *object) *trace.Request {
	query, _ := url.ParseQuery(x.query) // what can be read of it
	rec := &trace.Request{
		ID: x.id, Began: x.began, Verb: verb(x.info, x.contentType), Resource: w.resource(x.info, answered), Subresource: x.info.Subresource,
		Namespace: x.info.Namespace, Name: x.info.Name, Selector: selector(x.info), Code: x.code, Bytes: x.bytes,
		Decision: x.decision, Because: x.because, Layers: x.layers,
	}
	if changes(x.method) {
		rec.FieldManager, rec.DryRun = query.Get("fieldManager"), x.isDryRun()
		rec.Force, _ = strconv.ParseBool(query.Get("force"))
		if rec.FieldManager == "" && x.method != http.MethodDelete { // as the API server has it
			rec.FieldManager, _, _ = strings.Cut(x.agent, "/")
		}
	}
	if warnings, _ := utilnet.ParseWarningHeaders(x.warnings); len(warnings) > 0 {
		for _, warning := range warnings {
			rec.Warnings = append(rec.Warnings, w.Redact.Message(target(x.info), warning.Text))
		}
	}
	if x.code >= http.StatusBadRequest && answered != nil {
		rec.Reason, rec.Message = answered.Reason, w.Redact.Message(target(x.info), answered.Message)
	}
	return rec
}

func (x *exchange) isDryRun() bool {
	query, _ := url.ParseQuery(x.query) // what can be read of it
	return query.Has("dryRun")
}

func verb(info *request.RequestInfo, contentType string) string {
	if info.Verb == "patch" && strings.HasPrefix(contentType, "application/apply-patch") {
		return "apply"
	}
	return info.Verb
}

func selector(info *request.RequestInfo) string {
	if info.LabelSelector != "" && info.FieldSelector != "" {
		return info.LabelSelector + "," + info.FieldSelector
	}
	return info.LabelSelector + info.FieldSelector
}

// resource returns the number of the resource of a request.
func (w *worker) resource(info *request.RequestInfo, answered *object) trace.ResourceID {
	gvr := schema.GroupVersionResource{Group: info.APIGroup, Version: info.APIVersion, Resource: info.Resource}
	if answered != nil && info.Subresource == "" && info.Verb != "list" && info.Verb != "deletecollection" && info.Name+info.Namespace != "" {
		return w.resources.learn(gvr, answered, info.Namespace != "")
	}
	return w.resources.id(gvr)
}

// target is what a request is about, for what redacts it.
func target(info *request.RequestInfo) redact.Target {
	return redact.Target{Group: info.APIGroup, Resource: info.Resource, Subresource: info.Subresource}
}

// learn has what custom resources declare as passwords redacted from now on, and calls of webhooks named.
func (w *worker) learn(info *request.RequestInfo, answered *object) {
	w.hooks.learn(info, answered)
	if info.Resource != "customresourcedefinitions" || info.APIGroup != apiextv1.GroupName {
		return
	}
	if fields, err := answered.encoding().fields(); err == nil {
		w.Redact.Learn(fields)
	}
}

// written relates a request to the object that it is about and to the version that it made.
func (w *worker) written(x *exchange, rec *trace.Request, answered, sent *object) (id trace.ObjectID, noop bool) {
	if sent != nil {
		rec.RVIn = sent.rv()
	}
	if answered == nil {
		return w.resources.byName.get(nameKey(x.info)), false
	}
	if x.info.Verb == "list" && x.code < http.StatusBadRequest {
		rec.RVOut, rec.Items = answered.rv(), answered.items()
		return 0, false
	}
	if x.info.Verb == "deletecollection" && x.code < http.StatusBadRequest && !rec.DryRun {
		for _, uid := range answered.uids() {
			w.versions.deleting(uid, x.id, x.ended)
		}
		return 0, false
	}
	uid := answered.Metadata.UID
	if x.code >= http.StatusBadRequest || uid == "" { // a Status
		if uid = answered.Details.UID; uid == "" {
			return w.resources.byName.get(nameKey(x.info)), false
		}
		if x.method == http.MethodDelete && x.code < http.StatusBadRequest && !rec.DryRun {
			w.versions.deleting(uid, x.id, x.ended)
		}
		return w.Sink.Defs().Lookup(uid), false
	}
	if rec.Name == "" {
		rec.Name = answered.Metadata.Name
	}
	w.learn(x.info, answered)
	id = w.object(x.info, answered)
	rec.RVOut = answered.rv()
	if !changes(x.method) || rec.DryRun || rec.RVOut == 0 {
		return id, false
	}
	existed := rec.RVIn == rec.RVOut || w.versions.existed(uid, rec.RVOut, x.began)
	switch {
	case existed && answered.gone(): // the answer has the version before
		w.versions.deleting(uid, x.id, x.ended)
		existed = false
	case !existed:
		w.versions.see(&version{
			uid: uid, rv: rec.RVOut, t: x.ended, typ: x.change(answered), by: x.id, began: x.began, silent: x.bootstraps(), object: x.whole(answered),
			target: target(x.info), id: id,
		})
	}
	rec.Drift = w.drift(x, answered, sent)
	return id, existed && x.method != http.MethodPost
}

// whole is the answer if it is the object that the request is about, and nil if it is another one, such as a Scale, that
// has the UID and the version of the object.
func (x *exchange) whole(answered *object) *object {
	if x.info.Subresource != "" && x.info.Subresource != "status" && x.info.Subresource != "ephemeralcontainers" && x.info.Subresource != "resize" {
		return nil
	}
	return answered
}

// change is what a request did with its object. An apply may have created it, so deliveries know better.
func (x *exchange) change(answered *object) string {
	switch {
	case answered.gone():
		return deleted
	case x.info.Subresource == "" && (x.method == http.MethodPost || x.code == http.StatusCreated):
		return added
	default:
		return ""
	}
}

// drift returns how what was stored differs from what an update sent.
func (w *worker) drift(x *exchange, answered, sent *object) []trace.Change {
	if sent == nil || x.method != http.MethodPut || x.info.Subresource != "" && x.info.Subresource != "status" {
		return nil
	}
	from, to := sent.encoding(), answered.encoding()
	before, invalid := from.split(parts{})
	after, err := to.split(parts{})
	if invalid != nil || err != nil {
		return nil
	}
	was, is, err := w.versions.unlike(target(x.info), from, to, before, after)
	if err != nil {
		return nil
	}
	return allowed(w.Bodies, diff.Drift(was, is, x.info.Subresource))
}

// body returns what was sent, as JSON.
func (w *worker) body(x *exchange, sent *object) json.RawMessage {
	if w.Bodies != trace.BodiesAll || x.sent == nil {
		return nil
	}
	var redacted any
	t := target(x.info)
	switch {
	case sent != nil:
		redacted = w.prepared(t, sent)
	case strings.HasPrefix(x.contentType, "application/json-patch"):
		var patch []any
		if json.Unmarshal(x.sent.copied, &patch) != nil {
			return nil
		}
		redacted = w.Redact.Object(t, patch)
	}
	if redacted == nil {
		return nil
	}
	body, err := json.Marshal(redacted)
	if err != nil || string(body) == "null" {
		return nil
	}
	return body
}

// object returns the number of an object.
func (w *worker) object(info *request.RequestInfo, o *object) trace.ObjectID {
	id := w.Sink.Defs().Object(trace.Object{
		UID: o.Metadata.UID, Resource: w.resource(info, o), Namespace: o.Metadata.Namespace, Name: o.Metadata.Name,
	})
	w.resources.byName.set(name{info.APIGroup, info.Resource, o.Metadata.Namespace, o.Metadata.Name}, id)
	return id
}

// name is how requests name objects.
type name struct{ group, resource, namespace, name string }

func nameKey(info *request.RequestInfo) name {
	return name{info.APIGroup, info.Resource, info.Namespace, info.Name}
}
