// SPDX-License-Identifier: Apache-2.0

package export

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
)

// The types of OTLP/JSON, as far as they are needed. Numbers of 64 bits are strings there.
type (
	tracesData struct {
		ResourceSpans []resourceSpans `json:"resourceSpans"`
	}
	resourceSpans struct {
		Resource   attributes   `json:"resource"`
		ScopeSpans []scopeSpans `json:"scopeSpans"`
	}
	attributes struct {
		Attributes []attribute `json:"attributes"`
	}
	scopeSpans struct {
		Scope struct {
			Name string `json:"name"`
		} `json:"scope"`
		Spans []span `json:"spans"`
	}
	span struct {
		TraceID    string      `json:"traceId"`
		SpanID     string      `json:"spanId"`
		ParentID   string      `json:"parentSpanId,omitempty"`
		Name       string      `json:"name"`
		Kind       int         `json:"kind"`
		Start      string      `json:"startTimeUnixNano"`
		End        string      `json:"endTimeUnixNano"`
		Attributes []attribute `json:"attributes,omitempty"`
		Status     *status     `json:"status,omitempty"`
	}
	attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	value struct {
		String string `json:"stringValue"`
	}
	status struct {
		Code    int    `json:"code"`
		Message string `json:"message,omitempty"`
	}
)

const (
	spanInternal = 1
	spanClient   = 3
	statusError  = 2
	perLine      = 512 // spans
)

// OTLP writes reconciles, and the requests, webhook calls and hook calls of each, as spans: one JSON object of
// OpenTelemetry's traces a line. A request belongs to a reconcile if its ID has that of the reconcile; what could only be
// guessed is a trace of its own.
func OTLP(w io.Writer, records iter.Seq2[trace.Record, error]) error {
	e := exporter{definitions: newDefinitions(), lines: newEncoder(w), spans: map[string][]span{}}
	for rec, err := range records {
		if err != nil {
			return err
		}
		if err := e.definitions.add(rec.Body); err != nil {
			return err
		}
		e.record(rec)
		if e.n >= perLine {
			if err := e.flush(); err != nil {
				return err
			}
		}
	}
	return e.flush()
}

type exporter struct {
	*definitions
	lines *json.Encoder
	spans map[string][]span // by service
	n     int
}

func (e *exporter) record(rec trace.Record) {
	switch b := rec.Body.(type) {
	case *trace.Reconcile:
		if b.State == "end" {
			s := e.span(b.ID, "", b.ID, "reconcile "+b.Key, spanInternal, cmp.Or(b.Began, rec.T), rec.T, b.Err) // of some only the end is recorded
			e.add(e.service(b.Actor, b.Controller), s, map[string]string{
				"crdctl.controller": b.Controller, "crdctl.key": b.Key, "crdctl.result": b.Result, "crdctl.waited": seconds(b.Waited), "crdctl.after": seconds(b.After),
			})
		}
	case *trace.Request:
		failed := ""
		if b.Code >= 400 {
			failed = strings.TrimSpace(strconv.Itoa(b.Code) + " " + b.Reason + ": " + b.Message)
		}
		root, parent := b.ID, ""
		if id, ok := reconcileOf(b.ID); ok {
			root, parent = id, id
		}
		what := b.Path
		if r := e.resources[b.Resource]; r != nil {
			what = strings.Trim(r.Resource+"/"+b.Subresource, "/")
		}
		s := e.span(root, parent, b.ID, b.Verb+" "+what, spanClient, b.Began, rec.T, failed)
		e.add(e.service(b.Actor, "unknown"), s, map[string]string{
			"http.response.status_code": strconv.Itoa(b.Code), "url.path": e.uri(b), "k8s.namespace.name": b.Namespace, "crdctl.name": b.Name,
			"crdctl.noop": flag(b.NoOp), "crdctl.resource_version.sent": number(b.RVIn), "crdctl.resource_version": number(b.RVOut),
		})
	case *trace.Admission:
		if b.Request == "" {
			return
		}
		root := b.Request
		if id, ok := reconcileOf(b.Request); ok {
			root = id
		}
		id := "admission " + strconv.FormatInt(rec.Seq, 10)
		e.add("kube-apiserver", e.span(root, b.Request, id, b.Type+" "+b.Name, spanClient, b.Began, rec.T, b.Err), map[string]string{
			"crdctl.operation": b.Op, "crdctl.failed_open": flag(b.FailedOpen),
		})
	case *trace.Hook:
		root := b.Reconcile
		id := "hook " + strconv.FormatInt(rec.Seq, 10)
		if root == "" {
			root = id
		}
		e.add("hook", e.span(root, b.Reconcile, id, b.Op+" "+b.Name, spanInternal, b.Began, rec.T, b.Err), map[string]string{"crdctl.waited": seconds(b.Waited)})
	}
}

// reconcileOf returns the reconcile of a request whose ID is RECONCILE.N.
func reconcileOf(request string) (string, bool) {
	i := strings.LastIndexByte(request, '.')
	if i <= 0 {
		return "", false
	}
	_, err := strconv.Atoi(request[i+1:])
	return request[:i], err == nil
}

func (e *exporter) service(id trace.ActorID, otherwise string) string {
	if a := e.actors[id]; a != nil {
		return a.Name
	}
	return otherwise
}

func (e *exporter) span(root, parent, id, name string, kind int, began, end int64, failed string) span {
	s := span{
		TraceID: hash(root, 16), SpanID: hash("span "+id, 8), Name: name, Kind: kind,
		Start: strconv.FormatInt(e.time(began).UnixNano(), 10), End: strconv.FormatInt(e.time(end).UnixNano(), 10),
	}
	if parent != "" {
		s.ParentID = hash("span "+parent, 8)
	}
	if failed != "" {
		s.Status = &status{statusError, failed}
	}
	return s
}

func (e *exporter) add(service string, s span, attributes map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		if v := attributes[key]; v != "" {
			s.Attributes = append(s.Attributes, attribute{key, value{v}})
		}
	}
	e.spans[service] = append(e.spans[service], s)
	e.n++
}

func (e *exporter) flush() error {
	if e.n == 0 {
		return nil
	}
	var data tracesData
	for _, service := range slices.Sorted(maps.Keys(e.spans)) {
		scope := scopeSpans{Spans: e.spans[service]}
		scope.Scope.Name = "crdctl"
		data.ResourceSpans = append(data.ResourceSpans, resourceSpans{
			Resource: attributes{[]attribute{{"service.name", value{service}}}}, ScopeSpans: []scopeSpans{scope},
		})
	}
	e.n = 0
	clear(e.spans)
	return e.lines.Encode(data)
}

func hash(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:bytes])
}

func flag(is bool) string {
	if is {
		return "true"
	}
	return ""
}

func number(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

func seconds(ns int64) string {
	if ns == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(ns)/1e9, 'f', -1, 64)
}
