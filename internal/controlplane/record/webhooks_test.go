// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// decisions are what is recorded of the calls of one plugin.
func decisions(t *testing.T, c *webhookCalls) []trace.Admission {
	t.Helper()
	s := &kept{Sink: discard{trace.NewDefs(func(*trace.Def) {})}}
	c.typ = "validating"
	c.work(newWorker(New(Options{Sink: s}, "admin", "controller", "system"), nil))
	var all []trace.Admission
	for _, b := range s.bodies {
		rec, ok := b.(*trace.Admission)
		require.True(t, ok)
		all = append(all, *rec)
	}
	return all
}

// create are the attributes of a request.
type create struct{ admission.Attributes }

// GetOperation implements admission.Attributes.
func (create) GetOperation() admission.Operation { return admission.Create }

// GetResource implements admission.Attributes.
func (create) GetResource() schema.GroupVersionResource { return schema.GroupVersionResource{} }

const canceledRefusal = `Internal error occurred: failed calling webhook "w": failed to call webhook: Post "https://x": context canceled`

// A client that goes away, such as a controller that is stopped, ends the call of a webhook that works; a timeout is a failure.
func TestCallOfCanceledRequestIsNoFailure(t *testing.T) {
	for _, name := range []string{"w", ""} {
		c := &webhookCalls{calls: []*webhookCall{{at: "x", name: name, err: context.Canceled}}, refusal: canceledRefusal}
		assert.Equal(t, []trace.Admission{{Type: "validating", Name: "w", Canceled: true}}, decisions(t, c))
	}
	c := &webhookCalls{calls: []*webhookCall{{at: "x", name: "w", err: context.Canceled}}, refusal: "request did not complete within requested timeout", canceled: true}
	assert.Equal(t, []trace.Admission{{Type: "validating", Name: "w", Canceled: true}}, decisions(t, c), "of a webhook with failurePolicy: Ignore")

	c = &webhookCalls{calls: []*webhookCall{{at: "x", name: "w", err: context.DeadlineExceeded}}, refusal: `failed calling webhook "w": context deadline exceeded`}
	assert.Equal(t, []trace.Admission{{Type: "validating", Name: "w", Err: "context deadline exceeded"}}, decisions(t, c))
}

// A plugin that was not even asked to the end because the client went away has not failed either.
func TestPluginOfCanceledRequestIsNoFailure(t *testing.T) {
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), exchangeKey{}, &exchange{}))
	cancel()
	timeout := errors.New("request did not complete within requested timeout")
	for name, want := range map[string]trace.Admission{
		"ValidatingAdmissionWebhook": {Type: "plugin", Name: "ValidatingAdmissionWebhook", Op: "CREATE", Canceled: true},
		"ResourceQuota":              {Type: "plugin", Name: "ResourceQuota", Op: "CREATE", Err: timeout.Error()},
	} {
		r := New(Options{Sink: discard{}}, "admin", "controller", "system")
		d := decorated{r: r, name: name}
		d.called(ctx, create{}, nil, 0, timeout)
		require.Len(t, r.queue, 1)
		got := *r.queue[0].(call).rec
		assert.Equal(t, want, got)
	}
}

// Of two calls that have the name of one webhook, the one that failed is the one that failed open.
func TestFailureIsOfTheCallThatFailed(t *testing.T) {
	refused := errors.New("connection refused")
	c := &webhookCalls{opened: []string{"w"}, calls: []*webhookCall{
		{at: "x", name: "w", code: http.StatusOK, answered: []byte(`{"response":{"allowed":true}}`)}, {at: "y", name: "w", err: refused},
	}}
	assert.Equal(t, []trace.Admission{
		{Type: "validating", Name: "w", Allowed: true}, {Type: "validating", Name: "w", Err: "connection refused", FailedOpen: true},
	}, decisions(t, c))
}

// A webhook that answers that it has an internal error denies the request, too, and has failed.
func TestAnswerOfAnInternalErrorIsAFailure(t *testing.T) {
	answered := func(code int) []trace.Admission {
		return decisions(t, &webhookCalls{
			refusal: `admission webhook "w" denied the request: panic: nil map [recovered]`,
			calls:   []*webhookCall{{at: "x", name: "w", code: http.StatusOK, answered: fmt.Appendf(nil, `{"response":{"allowed":false,"status":{"code":%d,"message":"panic: nil map [recovered]"}}}`, code)}},
		})
	}
	assert.Equal(t, []trace.Admission{{Type: "validating", Name: "w", Err: "panic: nil map [recovered]"}}, answered(http.StatusInternalServerError))
	assert.Equal(t, []trace.Admission{{Type: "validating", Name: "w", Reason: `admission webhook "w" denied the request: panic: nil map [recovered]`}}, answered(http.StatusForbidden))
}

// The answer that a webhook has an internal error refuses the request: the call that failed open is another.
func TestInternalErrorDoesNotFailOpen(t *testing.T) {
	c := &webhookCalls{opened: []string{"w"}, calls: []*webhookCall{
		{at: "x", code: http.StatusOK, answered: []byte(`{"response":{"allowed":false,"status":{"code":500,"message":"panic"}}}`)}, {at: "y", err: errors.New("connection refused")},
	}}
	assert.Equal(t, []trace.Admission{
		{Type: "validating", Name: "x", Err: "panic"}, {Type: "validating", Name: "w", Err: "connection refused", FailedOpen: true},
	}, decisions(t, c))
}

// A patch of which nothing may be kept is none.
func TestPatchOfDroppedObjectIsNotRecorded(t *testing.T) {
	w := newWorker(New(Options{Sink: discard{}, Redact: redact.New(redact.Options{}), Bodies: trace.BodiesAll}, "admin", "controller", "system"), nil)
	patch := []byte(`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`)
	assert.Nil(t, w.patch(redact.Target{Group: "authentication.k8s.io", Resource: "tokenreviews"}, patch))
	assert.JSONEq(t, string(patch), string(w.patch(redact.Target{Resource: "pods"}, patch)))
}

// Without bodies, annotations that have a copy of the object are left out like its spec, wherever the patch has them.
func TestPatchWithoutBodiesHasNoCopies(t *testing.T) {
	w := newWorker(New(Options{Sink: discard{}}, "admin", "controller", "system"), nil)
	got := w.patch(redact.Target{Resource: "pods"}, []byte(`[
		{"op":"add","path":"/metadata/annotations","value":{"kubectl.kubernetes.io/last-applied-configuration":"{\"spec\":1}","a":"b"}},
		{"op":"add","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration","value":"{\"spec\":1}"},
		{"op":"add","path":"/metadata/annotations/a","value":"b"},
		{"op":"add","path":"/spec/x","value":1}]`))
	assert.JSONEq(t, `[
		{"op":"add","path":"/metadata/annotations","value":{"kubectl.kubernetes.io/last-applied-configuration":null,"a":"b"}},
		{"op":"add","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"},
		{"op":"add","path":"/metadata/annotations/a","value":"b"},
		{"op":"add","path":"/spec/x"}]`, string(got))
}
