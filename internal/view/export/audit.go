// SPDX-License-Identifier: Apache-2.0

// Package export writes the records of a recording in formats of other tools. It connects to none of them.
package export

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// definitions are what records refer to, and the wall clock.
type definitions struct {
	start     time.Time
	actors    map[trace.ActorID]*trace.Actor
	resources map[trace.ResourceID]*trace.Resource
	objects   map[trace.ObjectID]*trace.Object
}

func newDefinitions() *definitions {
	return &definitions{
		actors: map[trace.ActorID]*trace.Actor{}, resources: map[trace.ResourceID]*trace.Resource{}, objects: map[trace.ObjectID]*trace.Object{},
	}
}

// add reads the header and definitions.
func (d *definitions) add(b trace.Body) (err error) {
	switch b := b.(type) {
	case *trace.Header:
		if d.start, err = time.Parse(time.RFC3339Nano, b.Start); err != nil {
			return fmt.Errorf("header of the recording: start: %w", err)
		}
	case *trace.Def:
		switch {
		case b.Actor != nil:
			d.actors[b.Actor.ID] = b.Actor
		case b.Resource != nil:
			d.resources[b.Resource.ID] = b.Resource
		case b.Object != nil:
			d.objects[b.Object.ID] = b.Object
		}
	}
	return nil
}

func (d *definitions) time(t int64) time.Time { return d.start.Add(time.Duration(t)).UTC() }

// auditEvent is an Event of audit.k8s.io/v1, as far as a recording knows it.
type auditEvent struct {
	Kind            string            `json:"kind"`
	APIVersion      string            `json:"apiVersion"`
	Level           string            `json:"level"`
	AuditID         string            `json:"auditID"`
	Stage           string            `json:"stage"`
	RequestURI      string            `json:"requestURI"`
	Verb            string            `json:"verb"`
	User            auditUser         `json:"user"`
	UserAgent       string            `json:"userAgent,omitempty"`
	ObjectRef       *auditObject      `json:"objectRef,omitempty"`
	ResponseStatus  auditStatus       `json:"responseStatus"`
	RequestObject   json.RawMessage   `json:"requestObject,omitempty"`
	RequestReceived string            `json:"requestReceivedTimestamp"`
	StageTime       string            `json:"stageTimestamp"`
	Annotations     map[string]string `json:"annotations,omitempty"`
}

type auditUser struct {
	Username string `json:"username"`
}

type auditObject struct {
	Resource        string `json:"resource,omitempty"`
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name,omitempty"`
	UID             string `json:"uid,omitempty"`
	APIGroup        string `json:"apiGroup,omitempty"`
	APIVersion      string `json:"apiVersion,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`
	Subresource     string `json:"subresource,omitempty"`
}

type auditStatus struct {
	Metadata struct{} `json:"metadata"`
	Status   string   `json:"status,omitempty"`
	Message  string   `json:"message,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Code     int      `json:"code"`
}

const microTime = "2006-01-02T15:04:05.000000Z07:00"

// Audit writes each request as a line of an API server's audit log. What was sent is only there if it was recorded.
func Audit(w io.Writer, records iter.Seq2[trace.Record, error]) error {
	d := newDefinitions()
	lines := newEncoder(w)
	for rec, err := range records {
		if err != nil {
			return err
		}
		if err := d.add(rec.Body); err != nil {
			return err
		}
		if r, ok := rec.Body.(*trace.Request); ok {
			if err := lines.Encode(d.audit(rec.T, r)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *definitions) audit(t int64, r *trace.Request) auditEvent {
	e := auditEvent{
		Kind: "Event", APIVersion: "audit.k8s.io/v1", Level: "Metadata", AuditID: r.ID, Stage: "ResponseComplete",
		RequestURI: d.uri(r), Verb: r.Verb, RequestObject: r.Body,
		RequestReceived: d.time(r.Began).Format(microTime), StageTime: d.time(t).Format(microTime),
		ResponseStatus: auditStatus{Code: r.Code, Reason: r.Reason, Message: r.Message},
		Annotations:    map[string]string{},
	}
	if r.Code >= 400 {
		e.ResponseStatus.Status = "Failure"
	}
	if r.Verb == "apply" {
		e.Verb = "patch"
	}
	if r.Body != nil {
		e.Level = "Request"
	}
	if a := d.actors[r.Actor]; a != nil {
		e.User.Username, e.UserAgent = a.User, a.Agent
	}
	if res := d.resources[r.Resource]; res != nil {
		e.ObjectRef = &auditObject{
			Resource: res.Resource, Namespace: r.Namespace, Name: r.Name, APIGroup: res.Group, APIVersion: res.Version, Subresource: r.Subresource,
		}
		if r.RVIn != 0 {
			e.ObjectRef.ResourceVersion = strconv.FormatUint(r.RVIn, 10)
		}
		if o := d.objects[r.Object]; o != nil {
			e.ObjectRef.UID = o.UID
		}
	}
	for key, value := range map[string]string{"authorization.k8s.io/decision": r.Decision, "authorization.k8s.io/reason": r.Because} {
		if value != "" {
			e.Annotations[key] = value
		}
	}
	for layer, took := range r.Layers {
		e.Annotations["apiserver.latency.k8s.io/"+layer] = time.Duration(took).String()
	}
	return e
}

// uri is the path of the request. Of its query, only what was recorded is there.
func (d *definitions) uri(r *trace.Request) string {
	res := d.resources[r.Resource]
	if res == nil {
		return r.Path
	}
	p := path.Join("/api", res.Version)
	if res.Group != "" {
		p = path.Join("/apis", res.Group, res.Version)
	}
	if r.Namespace != "" && (res.Group != "" || res.Resource != "namespaces") {
		p = path.Join(p, "namespaces", r.Namespace)
	}
	p = path.Join(p, res.Resource, r.Name, r.Subresource)
	query := url.Values{}
	if r.Verb == "watch" {
		query.Set("watch", "true")
	}
	if r.FieldManager != "" {
		query.Set("fieldManager", r.FieldManager)
	}
	if r.Force {
		query.Set("force", "true")
	}
	if r.DryRun {
		query.Set("dryRun", "All")
	}
	if len(query) == 0 {
		return p
	}
	return strings.Join([]string{p, query.Encode()}, "?")
}

func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}
