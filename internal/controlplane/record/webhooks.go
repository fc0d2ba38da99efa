// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/utils/ptr"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// webhookCalls are the calls of webhooks by which an admission plugin decided about one request. The plugin makes them, and says in annotations
// of the request which of them it let pass although they failed.
type webhookCalls struct {
	mu     sync.Mutex
	calls  []*webhookCall
	opened []string // names of webhooks that failed open
	ended  int64    // when the plugin had decided

	typ, id, op string
	resource    schema.GroupVersionResource
	began       int64
	refusal     string // the plugin's
	canceled    bool   // the request, by its client
	number      trace.ResourceID
}

// webhookCall is one of them.
type webhookCall struct {
	at           string // host and path of the URL
	began, ended int64
	code         int
	answered     []byte
	err          error
	name         string // of the webhook, where the plugin names it
}

type webhookCallsKey struct{}

// follow returns the context and the attributes to call a plugin with, so that its calls of webhooks are seen; for a plugin that calls none, these
// are the ones given, and there are no calls.
func (d *decorated) follow(ctx context.Context, attributes admission.Attributes) (*webhookCalls, context.Context, admission.Attributes) {
	if kind := plugins[d.name]; kind != "mutating" && kind != "validating" || exchangeOf(ctx) == nil {
		return nil, ctx, attributes
	}
	calls := &webhookCalls{}
	return calls, context.WithValue(ctx, webhookCallsKey{}, calls), annotated{attributes, calls}
}

// any reports whether there is anything to record.
func (c *webhookCalls) any() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls)+len(c.opened) > 0
}

// annotated are attributes of a request of which the annotations are read, too.
type annotated struct {
	admission.Attributes

	calls *webhookCalls
}

// The annotations of the API server's plugins, before "round_N_index_M".
const (
	failedOpenMutating   = "failed-open.mutation.webhook.admission.k8s.io/"
	failedOpenValidating = "failed-open.validating.webhook.admission.k8s.io/"
	mutation             = "mutation.webhook.admission.k8s.io/"
)

// AddAnnotation implements admission.Attributes.
func (a annotated) AddAnnotation(key, value string) error {
	switch {
	case strings.HasPrefix(key, failedOpenMutating), strings.HasPrefix(key, failedOpenValidating):
		a.calls.mu.Lock()
		a.calls.opened = append(a.calls.opened, value)
		a.calls.mu.Unlock()
	case strings.HasPrefix(key, mutation): // after each call of a mutating webhook, one after the other
		var of struct{ Webhook string }
		_ = json.Unmarshal([]byte(value), &of) // the API server wrote it
		a.calls.mu.Lock()
		if n := len(a.calls.calls); n > 0 && a.calls.calls[n-1].name == "" {
			a.calls.calls[n-1].name = of.Webhook
		}
		a.calls.mu.Unlock()
	}
	return a.Attributes.AddAnnotation(key, value)
}

// calling is the connection to webhooks.
type calling struct {
	next http.RoundTripper
	r    *Recorder
}

// RoundTrip implements http.RoundTripper.
func (c calling) RoundTrip(req *http.Request) (*http.Response, error) {
	calls, _ := req.Context().Value(webhookCallsKey{}).(*webhookCalls)
	if calls == nil {
		return c.next.RoundTrip(req)
	}
	call := &webhookCall{at: req.URL.Host + path.Join("/", req.URL.Path), began: c.r.Sink.Now()}
	answer, err := c.next.RoundTrip(req)
	if err == nil {
		call.code = answer.StatusCode
		call.answered, err = io.ReadAll(answer.Body)
		_ = answer.Body.Close() // it has been read
		answer.Body = io.NopCloser(bytes.NewReader(call.answered))
	}
	call.ended, call.err = c.r.Sink.Now(), err
	calls.mu.Lock()
	calls.calls = append(calls.calls, call)
	calls.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (c *webhookCalls) size() (n int) {
	for _, call := range c.calls {
		n += len(call.answered)
	}
	return n
}

func (*webhookCalls) kind() trace.Kind { return trace.KindAdmission }

func (c *webhookCalls) work(w *worker) {
	c.number = w.resources.id(c.resource)
	var all []*decision
	for _, call := range c.calls {
		all = append(all, c.decided(w, call))
	}
	for _, name := range c.opened {
		d := c.claim(&all, name, func(d *decision) bool { return d.rec.Err != "" && !d.crashed })
		d.rec.FailedOpen = true
		d.rec.Err = cmp.Or(d.rec.Err, "the webhook could not be called, or its answer is not valid")
	}
	c.refused(w, &all)
	for _, d := range all {
		w.Sink.AddAt(d.t, d.rec)
	}
}

// refused notes what the plugin said when it refused the request. A canceled request is not a decision of a webhook.
func (c *webhookCalls) refused(w *worker, all *[]*decision) {
	if c.refusal == "" {
		return
	}
	message, name := w.Redact.Message(c.target(), c.refusal), c.typ
	if found := webhookName.FindStringSubmatch(message); found != nil {
		name = found[1]
	} else if c.canceled {
		return
	}
	d := c.claim(all, name, func(d *decision) bool { return !d.rec.Allowed })
	switch d.rec.Allowed = false; {
	case d.rec.Canceled, d.crashed:
	case denial.MatchString(message):
		d.rec.Reason, d.rec.Err = message, ""
	case d.rec.Err == "":
		d.rec.Reason, d.rec.Err = "", message
	}
}

// decision is the record of a call, and when it ended.
type decision struct {
	rec     *trace.Admission
	t       int64
	named   bool
	claimed bool // what the plugin said of a webhook was found to be about it
	crashed bool // it answered that it has an internal error, which denies the request
}

// claim returns what the webhook with a name decided: the call that is known to be of it, best one that fits, or else the one that is not known
// to be of another and fits, or else one that was not made.
func (c *webhookCalls) claim(all *[]*decision, name string, fits func(*decision) bool) *decision {
	named := func(d *decision) bool { return d.named && !d.claimed && d.rec.Name == name }
	i := slices.IndexFunc(*all, func(d *decision) bool { return named(d) && fits(d) })
	if i < 0 {
		i = slices.IndexFunc(*all, named)
	}
	if i < 0 {
		i = slices.IndexFunc(*all, func(d *decision) bool { return !d.named && !d.claimed && fits(d) })
	}
	if i < 0 {
		*all = append(*all, &decision{rec: c.record(name, c.began), t: c.ended})
		i = len(*all) - 1
	}
	d := (*all)[i]
	d.rec.Name, d.named, d.claimed = name, true, true
	return d
}

func (c *webhookCalls) record(name string, began int64) *trace.Admission {
	return &trace.Admission{Type: c.typ, Name: name, Request: c.id, Op: c.op, Resource: c.number, Began: began}
}

func (c *webhookCalls) target() redact.Target {
	return redact.Target{Group: c.resource.Group, Resource: c.resource.Resource}
}

// decided reads the answer to a call.
func (c *webhookCalls) decided(w *worker, call *webhookCall) *decision {
	name := cmp.Or(call.name, w.hooks.name(c.typ, call.at))
	d := &decision{rec: c.record(cmp.Or(name, call.at), call.began), t: call.ended, named: name != ""}
	var review struct {
		Response *struct {
			Allowed bool   `json:"allowed"`
			Patch   []byte `json:"patch"`
			Status  struct {
				Code    int
				Message string
			}
		} `json:"response"`
	}
	problem := ""
	switch err := json.Unmarshal(call.answered, &review); {
	case errors.Is(call.err, context.Canceled): // by the client of the API server: a timeout of the webhook is DeadlineExceeded
		d.rec.Canceled = true
	case call.err != nil:
		problem = call.err.Error()
	case call.code != http.StatusOK:
		problem = fmt.Sprintf("HTTP status %d: %s", call.code, text.Cut(string(call.answered), maxAnswer))
	case err != nil:
		problem = "the answer cannot be read: " + err.Error()
	case review.Response == nil:
		problem = "the answer has no response"
	case !review.Response.Allowed && review.Response.Status.Code >= http.StatusInternalServerError: // as controller-runtime answers after a panic
		d.crashed = true
		problem = cmp.Or(review.Response.Status.Message, fmt.Sprintf("status %d", review.Response.Status.Code))
	default:
		d.rec.Allowed = review.Response.Allowed
		if !d.rec.Allowed {
			d.rec.Reason = w.Redact.Message(c.target(), cmp.Or(review.Response.Status.Message, "denied"))
		}
		d.rec.PatchBytes = len(review.Response.Patch)
		d.rec.Patch = w.patch(c.target(), review.Response.Patch)
	}
	if problem != "" {
		d.rec.Err = w.Redact.Message(c.target(), problem)
	}
	return d
}

// maxAnswer bounds what is kept of an answer that is not one, in bytes.
const maxAnswer = 200

// patch returns a JSON patch as far as it is to be recorded.
func (w *worker) patch(t redact.Target, content []byte) json.RawMessage {
	var patch []any
	if len(content) == 0 || json.Unmarshal(content, &patch) != nil {
		return nil
	}
	if patch, _ = w.Redact.Object(t, patch).([]any); patch == nil {
		return nil
	}
	for _, op := range patch {
		if op, ok := op.(map[string]any); ok && w.Bodies == trace.BodiesNone {
			at, _ := op["path"].(string)
			annotation, of := strings.CutPrefix(at, "/metadata/annotations/")
			switch {
			case !strings.HasPrefix(at, "/metadata/") && !strings.HasPrefix(at, "/status/"), of && redact.Copies(strings.ReplaceAll(annotation, "~1", "/")):
				delete(op, "value")
			case at == "/metadata/annotations":
				hideCopies(op["value"])
			}
		}
	}
	body, err := json.Marshal(patch)
	if err != nil {
		return nil
	}
	return body
}

// hooks are the webhooks that are configured, by the kind and the UID of the configuration. Calls have no name of their own.
type hooks map[string][]hook

type hook struct{ typ, at, name string }

// maxConfigurations bounds of how many configurations the webhooks are known.
const maxConfigurations = 1000

// learn reads a configuration.
func (h hooks) learn(info *request.RequestInfo, o *object) {
	typ := map[string]string{"mutatingwebhookconfigurations": "mutating", "validatingwebhookconfigurations": "validating"}[info.Resource]
	if typ == "" || info.APIGroup != admissionregistrationv1.GroupName || o.Metadata.UID == "" || len(h) >= maxConfigurations && h[o.Metadata.UID] == nil {
		return
	}
	content := o.raw
	if o.protobuf {
		typed, err := o.encoding().typed()
		if err != nil {
			return
		}
		if content, err = json.Marshal(typed); err != nil {
			return
		}
	}
	var configuration admissionregistrationv1.ValidatingWebhookConfiguration // the other one has these fields, too
	if json.Unmarshal(content, &configuration) != nil {
		return
	}
	var all []hook
	for _, w := range configuration.Webhooks {
		if at := address(w.ClientConfig); at != "" {
			all = append(all, hook{typ, at, w.Name})
		}
	}
	h[o.Metadata.UID] = all
}

// address is where a webhook is called, as webhookCall has it; "" if that is not valid.
func address(c admissionregistrationv1.WebhookClientConfig) string {
	if s := c.Service; s != nil {
		host := net.JoinHostPort(s.Name+"."+s.Namespace+".svc", strconv.Itoa(int(ptr.Deref(s.Port, 443))))
		return host + path.Join("/", ptr.Deref(s.Path, ""))
	}
	u, err := url.Parse(ptr.Deref(c.URL, ""))
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Host + path.Join("/", u.Path)
}

// name is that of the webhook that is called somewhere, or "" if it is not known which of several it is.
func (h hooks) name(typ, at string) (name string) {
	for _, all := range h {
		for _, one := range all {
			switch {
			case one.typ != typ || one.at != at || one.name == name:
			case name != "":
				return ""
			default:
				name = one.name
			}
		}
	}
	return name
}
