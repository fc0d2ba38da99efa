// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/crdctl/crdctl/internal/operator/object"
	"github.com/crdctl/crdctl/internal/trace"
)

// Reconcile records one reconcile.
type Reconcile struct {
	trace           *Trace
	controller, key string
	id              string
	object          trace.ObjectID
	began           int64
	requests        atomic.Int64
	failure         string
}

func (r *Reconcile) record(state string) *trace.Reconcile {
	return &trace.Reconcile{
		ID: r.id, Controller: r.controller, Key: r.key, Object: r.object, State: state, Began: r.began, Source: "loop",
	}
}

// How a reconcile ended: trace.Reconcile.Result.
const (
	OK      = "ok"
	Requeue = "requeue"
	Error   = "error"
	Panic   = "panic"
)

// End records the end: after is when the reconcile asked to be run again, 0 if it did not.
func (r *Reconcile) End(result string, after time.Duration, err error) {
	if r == nil {
		return
	}
	end := r.record("end")
	end.Result, end.After, end.Err = result, int64(after), r.failure
	if err != nil && end.Err == "" {
		end.Err = err.Error()
	}
	r.trace.sink.Add(end)
}

// Failed sets the text of the error, which may not have all that the error's own has.
func (r *Reconcile) Failed(text string) {
	if r != nil {
		r.failure = text
	}
}

// Decided records what was done about a child, and why. The object may be nil.
func (r *Reconcile) Decided(kind string, child cache.ObjectName, o *object.Object, action, why string) {
	if r == nil {
		return
	}
	d := &trace.Decision{Reconcile: r.id, Child: kind + " " + text(child), Action: action, Why: why}
	d.Object, _ = r.trace.object(o)
	r.trace.sink.Add(d)
}

// DecidedSelf records what was done about a part of the object itself: its status, or its finalizers.
func (r *Reconcile) DecidedSelf(part, action, why string) {
	if r != nil {
		r.trace.sink.Add(&trace.Decision{Reconcile: r.id, Child: part, Object: r.object, Action: action, Why: why})
	}
}

type contextKey struct{}

// With returns a context whose requests are the reconcile's.
func With(ctx context.Context, r *Reconcile) context.Context {
	if r == nil {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, r)
}

// From returns the reconcile of a context, nil if there is none.
func From(ctx context.Context) *Reconcile {
	r, _ := ctx.Value(contextKey{}).(*Reconcile)
	return r
}

// auditID is the header whose value the API server takes as a request's ID.
const auditID = "Audit-ID"

// Transport gives each request that a reconcile makes an ID of the reconcile's, innermost: each try is a request of its own.
func (t *Trace) Transport(next http.RoundTripper) http.RoundTripper {
	if t == nil {
		return next
	}
	return joined{next}
}

type joined struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (j joined) RoundTrip(request *http.Request) (*http.Response, error) {
	if r := From(request.Context()); r != nil {
		request = request.Clone(request.Context()) // who makes a request keeps it unchanged
		request.Header.Set(auditID, r.id+"."+strconv.FormatInt(r.requests.Add(1), 10))
	}
	return j.next.RoundTrip(request)
}

// WrappedRoundTripper lets the connections beneath be closed.
func (j joined) WrappedRoundTripper() http.RoundTripper { return j.next }

// Call is a call of a hook that is under way.
type Call struct {
	reconcile *Reconcile

	mu     sync.Mutex // a persistent hook may print when the call has ended
	record trace.Hook
	ended  bool
}

// Call records a call of a hook, when it ends.
func (r *Reconcile) Call(op string) *Call {
	if r == nil {
		return nil
	}
	return &Call{reconcile: r, record: trace.Hook{Op: op, Reconcile: r.id, Began: r.trace.sink.Now()}}
}

// Asks notes who is asked.
func (c *Call) Asks(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record.Name = name
}

// Started notes that the call waited for its turn until now.
func (c *Call) Started() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.record.Waited = c.reconcile.trace.sink.Now() - c.record.Began
}

// mostStderr bounds what is recorded of what a program printed, for one call.
const mostStderr = 4 << 10

// Printed notes a line that the program printed to stderr.
func (c *Call) Printed(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || len(c.record.Stderr) >= mostStderr {
		return
	}
	c.record.Stderr += line[:min(len(line), mostStderr-len(c.record.Stderr))] + "\n"
}

// End records the call.
func (c *Call) End(question, answer []byte, err error) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	t := c.reconcile.trace
	if err != nil {
		c.record.Err = err.Error()
	}
	c.record.Stderr = strings.TrimSuffix(strings.ToValidUTF8(c.record.Stderr, "�"), "\n")
	if t.bodies != "" && t.bodies != trace.BodiesNone {
		c.record.Question, c.record.Answer = question, answer
	}
	t.sink.Add(&c.record)
}
