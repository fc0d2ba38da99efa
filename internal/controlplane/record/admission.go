// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// slowPlugin is how long an admission plugin may take without being recorded, if it allows the request.
const slowPlugin = int64(1e6)

// plugins are the admission plugins that ask what users wrote, by what they are to them. The others are those of Kubernetes itself.
var plugins = map[string]string{
	"MutatingAdmissionWebhook": "mutating", "ValidatingAdmissionWebhook": "validating",
	"MutatingAdmissionPolicy": "policy", "ValidatingAdmissionPolicy": "policy",
}

// Decorate returns an admission plugin that decides as handler does, with its time and its refusals recorded, and the calls of webhooks where it
// calls them. It implements admission.Decorator, and is to be the first: the others hide what the plugin is.
func (r *Recorder) Decorate(handler admission.Interface, name string) admission.Interface {
	if caller, ok := handler.(interface {
		SetAuthenticationInfoResolverWrapper(webhook.AuthenticationInfoResolverWrapper)
	}); ok {
		caller.SetAuthenticationInfoResolverWrapper(wrapClients(func(next http.RoundTripper) http.RoundTripper { return calling{next, r} }))
	}
	d := decorated{Interface: handler, r: r, name: name}
	mutating, mutates := handler.(admission.MutationInterface)
	validating, validates := handler.(admission.ValidationInterface)
	d.mutating, d.validating = mutating, validating
	switch { // an interface that is there and fails is not one that is missing
	case mutates && validates:
		return struct {
			decorated
			admits
			checks
		}{d, admits{&d}, checks{&d}}
	case mutates:
		return struct {
			decorated
			admits
		}{d, admits{&d}}
	case validates:
		return struct {
			decorated
			checks
		}{d, checks{&d}}
	default:
		return handler
	}
}

type decorated struct {
	admission.Interface
	r          *Recorder
	name       string
	mutating   admission.MutationInterface
	validating admission.ValidationInterface
}

type admits struct{ plugin *decorated }

// Admit implements admission.MutationInterface.
func (a admits) Admit(ctx context.Context, attributes admission.Attributes, o admission.ObjectInterfaces) error {
	began := a.plugin.r.Sink.Now()
	calls, inner, annotated := a.plugin.follow(ctx, attributes)
	err := a.plugin.mutating.Admit(inner, annotated, o)
	a.plugin.called(ctx, attributes, calls, began, err)
	return err
}

type checks struct{ plugin *decorated }

// Validate implements admission.ValidationInterface.
func (c checks) Validate(ctx context.Context, attributes admission.Attributes, o admission.ObjectInterfaces) error {
	began := c.plugin.r.Sink.Now()
	calls, inner, annotated := c.plugin.follow(ctx, attributes)
	err := c.plugin.validating.Validate(inner, annotated, o)
	c.plugin.called(ctx, attributes, calls, began, err)
	return err
}

// called queues what a plugin did, if it did anything of interest.
func (d *decorated) called(ctx context.Context, attributes admission.Attributes, calls *webhookCalls, began int64, err error) {
	ended, canceled := d.r.Sink.Now(), errors.Is(ctx.Err(), context.Canceled)
	if calls.any() {
		calls.typ, calls.id, calls.op, calls.resource = plugins[d.name], requestID(ctx), string(attributes.GetOperation()), attributes.GetResource()
		calls.began, calls.ended, calls.canceled = began, ended, canceled
		if err != nil {
			calls.refusal = err.Error()
		}
		d.r.put(calls)
		return
	}
	if err == nil && ended-began < slowPlugin || exchangeOf(ctx) == nil { // it is quick as a rule, and a look into the context is not
		return
	}
	c := call{resource: attributes.GetResource(), t: ended, rec: &trace.Admission{
		Name: d.name, Request: requestID(ctx), Op: string(attributes.GetOperation()), Began: began, Allowed: err == nil,
	}}
	kind := plugins[d.name]
	switch webhooks := kind == "mutating" || kind == "validating"; {
	case err != nil && canceled && webhooks && !webhookName.MatchString(err.Error()): // it gave up before it called any
		c.rec.Canceled = true
	case err != nil:
		refused(c.rec, d.r.Redact.Message(redact.Target{Group: c.resource.Group, Resource: c.resource.Resource}, err.Error()))
	}
	c.rec.Type = typeOf(d.name, c.rec.Name)
	d.r.put(c)
}

// typeOf is the type of a record about a plugin that called no webhook here: its time is the plugin's own unless the error names a webhook.
func typeOf(plugin, name string) string {
	kind := plugins[plugin]
	if kind == "policy" || kind != "" && name != plugin {
		return kind
	}
	return "plugin"
}

// refused notes why a plugin did not allow a request. A webhook that was called and denied it has not failed.
func refused(rec *trace.Admission, message string) {
	name := webhookName.FindStringSubmatch(message)
	if name != nil {
		rec.Name = name[1]
	}
	if denial.MatchString(message) {
		rec.Reason = message
	} else {
		rec.Err = message
	}
}

// denial matches the API server's message about a webhook that answered, and did not allow the request.
var denial = regexp.MustCompile(`^admission webhook "[^"]+" denied the request`)

// webhookName finds in an error which of the webhooks it is from: their plugin calls all that are configured.
var webhookName = regexp.MustCompile(`webhook "([^"]+)"`)

// requestID is the audit ID of the request that is being answered, or "".
func requestID(ctx context.Context) string {
	id, _ := audit.AuditIDFrom(ctx)
	return string(id)
}

// call is an admission.
type call struct {
	rec      *trace.Admission
	resource schema.GroupVersionResource
	t        int64
}

func (call) size() int        { return 0 }
func (call) kind() trace.Kind { return trace.KindAdmission }

func (c call) work(w *worker) {
	c.rec.Resource = w.resources.id(c.resource)
	w.Sink.AddAt(c.t, c.rec)
}

// Convert returns a wrapper of the clients of conversion webhooks that has their calls recorded, after what inner does.
func (r *Recorder) Convert(inner webhook.AuthenticationInfoResolverWrapper) webhook.AuthenticationInfoResolverWrapper {
	if r == nil {
		return inner
	}
	return func(delegate webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
		if inner != nil {
			delegate = inner(delegate)
		}
		return wrapClients(func(next http.RoundTripper) http.RoundTripper { return converting{next, r} })(delegate)
	}
}

// wrapClients has the connections of all clients of webhooks wrapped.
func wrapClients(wrap func(http.RoundTripper) http.RoundTripper) webhook.AuthenticationInfoResolverWrapper {
	return func(delegate webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
		watched := func(config *rest.Config, err error) (*rest.Config, error) {
			if err != nil {
				return nil, err
			}
			config = rest.CopyConfig(config)
			config.Wrap(wrap)
			return config, nil
		}
		return &webhook.AuthenticationInfoResolverDelegator{
			ClientConfigForFunc: func(hostPort string) (*rest.Config, error) { return watched(delegate.ClientConfigFor(hostPort)) },
			ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
				return watched(delegate.ClientConfigForService(name, namespace, port))
			},
		}
	}
}

// converting is the connection to a conversion webhook.
type converting struct {
	next http.RoundTripper
	r    *Recorder
}

// review is what is read of a question to a conversion webhook, and of its answer.
type review struct {
	Request struct {
		DesiredAPIVersion string `json:"desiredAPIVersion"`
		Objects           []struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		} `json:"objects"`
	} `json:"request"`
	Response struct {
		Result struct {
			Status  string `json:"status"`
			Message string `json:"message"`
		} `json:"result"`
	} `json:"response"`
}

// RoundTrip implements http.RoundTripper.
func (c converting) RoundTrip(req *http.Request) (*http.Response, error) {
	var asked bytes.Buffer
	if req.Body != nil {
		if _, err := io.Copy(&asked, req.Body); err != nil {
			return nil, err
		}
		if err := req.Body.Close(); err != nil {
			return nil, err
		}
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(asked.Bytes()))
	}
	began := c.r.Sink.Now()
	answer, err := c.next.RoundTrip(req)
	var answered []byte
	if err == nil {
		answered, err = io.ReadAll(answer.Body)
		_ = answer.Body.Close() // it has been read
		answer.Body = io.NopCloser(bytes.NewReader(answered))
	}
	rec := &trace.Admission{Type: "conversion", Name: req.URL.Host + req.URL.Path, Began: began}
	rec.Request = requestID(req.Context())
	c.r.put(conversion{rec: rec, asked: asked.Bytes(), answered: answered, err: err, t: c.r.Sink.Now()})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// conversion is a call of a conversion webhook.
type conversion struct {
	rec             *trace.Admission
	asked, answered []byte
	err             error
	t               int64
}

func (c conversion) size() int      { return len(c.asked) + len(c.answered) }
func (conversion) kind() trace.Kind { return trace.KindAdmission }

func (c conversion) work(w *worker) {
	var question, answer review
	_ = json.Unmarshal(c.asked, &question)  // the API server wrote it
	_ = json.Unmarshal(c.answered, &answer) // the API server judges it
	from := ""
	if objects := question.Request.Objects; len(objects) > 0 {
		from = objects[0].APIVersion
	}
	_, fromVersion, _ := strings.Cut(from, "/")
	_, toVersion, _ := strings.Cut(question.Request.DesiredAPIVersion, "/")
	c.rec.Op, c.rec.Objects = fromVersion+"->"+toVersion, len(question.Request.Objects)
	c.rec.Allowed = c.err == nil && answer.Response.Result.Status == "Success"
	switch {
	case errors.Is(c.err, context.Canceled):
		c.rec.Canceled = true
	case c.err != nil:
		c.rec.Err = w.Redact.Message(redact.Target{}, c.err.Error())
	case !c.rec.Allowed:
		c.rec.Err = w.Redact.Message(redact.Target{}, answer.Response.Result.Message)
	}
	w.Sink.AddAt(c.t, c.rec)
}
