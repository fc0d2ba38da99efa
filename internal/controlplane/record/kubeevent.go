// SPDX-License-Identifier: Apache-2.0

package record

import (
	"cmp"
	"encoding/json"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// kubeEvent is what is read of an Event: the names of v1, and those of events.k8s.io/v1.
type kubeEvent struct {
	InvolvedObject struct{ UID string } `json:"involvedObject"`
	Regarding      struct{ UID string } `json:"regarding"`
	Type           string               `json:"type"`
	Reason         string               `json:"reason"`
	Message        string               `json:"message"`
	Note           string               `json:"note"`
	Count          int                  `json:"count"`
	Deprecated     int                  `json:"deprecatedCount"`
	Series         struct{ Count int }  `json:"series"`
}

// kubeEvent records the Event that a request wrote, if it did.
func (w *worker) kubeEvent(x *exchange, answered *object) {
	if x.info.Resource != "events" || x.info.APIGroup != "" && x.info.APIGroup != "events.k8s.io" {
		return
	}
	if answered == nil || answered.Metadata.UID == "" || x.code >= http.StatusBadRequest || !changes(x.method) || x.method == http.MethodDelete || x.isDryRun() {
		return
	}
	e, ok := kubeEventOf(answered)
	if !ok {
		return
	}
	w.Sink.AddAt(x.ended, &trace.KubeEvent{
		Object: w.Sink.Defs().Lookup(cmp.Or(e.InvolvedObject.UID, e.Regarding.UID)), Actor: w.Sink.Defs().Actor(x.actor), Request: x.id,
		Type: e.Type, Reason: e.Reason, Message: w.Redact.Message(redact.Target{}, cmp.Or(e.Message, e.Note)),
		Count: max(e.Count, e.Deprecated, e.Series.Count, 1),
	})
}

func kubeEventOf(o *object) (e kubeEvent, ok bool) {
	if !o.protobuf {
		return e, json.Unmarshal(o.raw, &e) == nil
	}
	all, err := o.encoding().split(parts{})
	if err != nil {
		return e, false
	}
	typed, _ := o.encoding().join(parts{root: all.root}).typed() // metadata, which is most of it, is not read
	switch t := typed.(type) {
	case *corev1.Event:
		e.InvolvedObject.UID, e.Type, e.Reason, e.Message, e.Count = string(t.InvolvedObject.UID), t.Type, t.Reason, t.Message, int(t.Count)
		if t.Series != nil {
			e.Series.Count = int(t.Series.Count)
		}
	case *eventsv1.Event:
		e.Regarding.UID, e.Type, e.Reason, e.Note, e.Deprecated = string(t.Regarding.UID), t.Type, t.Reason, t.Note, int(t.DeprecatedCount)
		if t.Series != nil {
			e.Series.Count = int(t.Series.Count)
		}
	default:
		return e, false
	}
	return e, true
}
