// SPDX-License-Identifier: Apache-2.0

package record

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/endpoints/responsewriter"

	"github.com/crdctl/crdctl/internal/trace"
)

const (
	// bodyLimit is more than an API server takes; readLimit and errorLimit bound answers that are read for a few fields.
	bodyLimit  = 4 << 20
	readLimit  = 1 << 20
	errorLimit = 64 << 10
)

// exchange is a request and its answer.
type exchange struct {
	began, ended int64
	id           string // audit ID
	agent        string
	method       string
	path, query  string
	contentType  string
	sent         *tee // nil for a request without a body of interest

	// inside is where the request got to in the handlers behind the outermost one.
	inside atomic.Pointer[inside]

	// These are what was seen of it when it was answered.
	info     *request.RequestInfo
	user     string
	decision string // of the API server's authorization
	because  string
	layers   map[string]int64
	warnings []string

	code           int
	answerType     string
	answerEncoding string
	answer         []byte
	bytes          int64
	canceled       bool // by the client
	broken         bool // the handler broke the connection off

	actor trace.Actor
}

// inside is the context of a request that was authenticated.
type inside struct {
	ctx        context.Context
	authorized bool
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// Follow is to be the first handler of all requests.
func (r *Recorder) Follow(next http.Handler) http.Handler {
	if r == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		agent := req.UserAgent()
		if strings.HasSuffix(agent, "/"+Agent) || isProbe(req.URL.Path) {
			next.ServeHTTP(w, req)
			return
		}
		x := &exchange{
			began: r.Sink.Now(), agent: agent, method: req.Method, path: req.URL.Path, query: req.URL.RawQuery,
			contentType: req.Header.Get("Content-Type"),
		}
		original := req
		req = req.WithContext(context.WithValue(req.Context(), exchangeKey{}, x))
		if changes(req.Method) && req.Body != nil {
			x.sent = &tee{ReadCloser: req.Body}
			req.Body = x.sent
		}
		a := &answer{ResponseWriter: w, x: x, r: r}
		x.broken = true // until the handler returns: it may panic to break a connection off
		defer func() { r.finish(x, a, original) }()
		next.ServeHTTP(responsewriter.WrapForHTTP1Or2(a), req)
		x.broken = false
	})
}

// isProbe reports whether a request is for the health of the server, or one of crdctl's own to what is not part of Kubernetes.
func isProbe(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/livez" || path == "/metrics" || strings.HasPrefix(path, "/crdctl/")
}

func changes(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch || method == http.MethodDelete
}

// Inside is to be the last handler before the API server's own, behind authorization.
func (r *Recorder) Inside(next http.Handler) http.Handler {
	if r == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if x := exchangeOf(req.Context()); x != nil {
			x.inside.Store(&inside{ctx: req.Context(), authorized: true})
		}
		next.ServeHTTP(w, req)
	})
}

// Listen returns an authorizer that decides as a does, and remembers whom it was asked about.
func (r *Recorder) Listen(a authorizer.Authorizer) authorizer.Authorizer {
	if r == nil {
		return a
	}
	return listening{a}
}

type listening struct{ authorizer.Authorizer }

// Authorize implements authorizer.Authorizer.
func (l listening) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	if x := exchangeOf(ctx); x != nil {
		if in := x.inside.Load(); in == nil || !in.authorized {
			x.inside.Store(&inside{ctx: ctx})
		}
	}
	return l.Authorizer.Authorize(ctx, a)
}

// finish takes what is left to see of a request, and queues it.
func (r *Recorder) finish(x *exchange, a *answer, req *http.Request) {
	x.ended = r.Sink.Now()
	x.code, x.bytes = a.code, a.bytes
	x.canceled = req.Context().Err() != nil
	if x.sent != nil {
		x.sent.end()
	}
	if a.watch != nil { // what it is about is being read
		a.watch.flush(x.ended)
		r.put(watchEnd{a.watch})
		return
	}
	x.id = a.Header().Get(auditID)
	x.warnings = a.Header().Values("Warning")
	x.look()
	r.put(x)
}

// look takes what the handlers know of the request. Some of them may still be at work, where the request timed out.
func (x *exchange) look() {
	in := x.inside.Load()
	if in == nil {
		return
	}
	x.info, _ = request.RequestInfoFrom(in.ctx)
	if user, ok := request.UserFrom(in.ctx); ok {
		x.user = user.GetName()
	}
	if ac := audit.AuditContextFrom(in.ctx); ac != nil {
		x.decision, _ = ac.GetEventAnnotation("authorization.k8s.io/decision")
		x.because, _ = ac.GetEventAnnotation("authorization.k8s.io/reason")
		if x.id == "" {
			x.id = string(ac.AuditID())
		}
	}
	x.layers = layers(in.ctx)
}

// layers are the times that the API server itself took, in nanoseconds.
func layers(ctx context.Context) map[string]int64 {
	t, ok := request.LatencyTrackersFrom(ctx)
	if !ok {
		return nil
	}
	all := map[string]int64{}
	for _, layer := range [...]struct {
		name string
		took time.Duration
	}{
		{"etcd", t.StorageTracker.GetLatency()},
		{"admission", t.MutatingWebhookTracker.GetLatency() + t.ValidatingWebhookTracker.GetLatency()},
		{"decode", t.DecodeTracker.GetLatency()},
		{"serialize", t.SerializationTracker.GetLatency() + t.TransformTracker.GetLatency()},
		{"write", t.ResponseWriteTracker.GetLatency()},
	} {
		if layer.took > 0 {
			all[layer.name] = int64(layer.took)
		}
	}
	return all
}

func (x *exchange) size() int {
	n := len(x.answer)
	if x.sent != nil {
		n += len(x.sent.copied)
	}
	return n
}

func (x *exchange) kind() trace.Kind { return trace.KindRequest }

// tee keeps what is read of a request's body.
type tee struct {
	io.ReadCloser
	mu     sync.Mutex
	copied []byte
	ended  bool
}

// Read implements io.Reader.
func (t *tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended && len(t.copied)+n <= bodyLimit {
		t.copied = append(t.copied, p[:n]...)
	}
	return n, err
}

// end stops the copying: a handler that timed out may go on to read.
func (t *tee) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}

// answer keeps what is written of an answer, as far as it is of interest.
type answer struct {
	http.ResponseWriter
	x     *exchange
	r     *Recorder
	code  int
	bytes int64
	limit int
	watch *watch // of a watch that was opened
}

// Unwrap implements responsewriter.UserProvidedDecorator.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	if a.code == 0 {
		a.begin(code)
	}
	a.ResponseWriter.WriteHeader(code)
}

// begin decides what is kept.
func (a *answer) begin(code int) {
	a.code = code
	x := a.x
	x.answerType, x.answerEncoding = a.Header().Get("Content-Type"), a.Header().Get("Content-Encoding")
	var info *request.RequestInfo
	if in := x.inside.Load(); in != nil {
		info, _ = request.RequestInfoFrom(in.ctx)
	}
	switch {
	case code >= http.StatusBadRequest:
		a.limit = errorLimit
	case code == http.StatusSwitchingProtocols || info == nil || !info.IsResourceRequest:
	case info.Verb == "watch":
		x.id = a.Header().Get(auditID)
		x.look()
		a.watch = newWatch(a.r, x)
	case changes(x.method):
		a.limit = bodyLimit
	case (info.Verb == "get" || info.Verb == "list") && info.Subresource == "":
		a.limit = readLimit
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) {
	if a.code == 0 {
		a.begin(http.StatusOK)
	}
	since := int64(0)
	if a.watch != nil {
		since = a.r.Sink.Now()
	}
	n, err := a.ResponseWriter.Write(p)
	a.bytes += int64(n)
	switch {
	case a.watch != nil:
		a.watch.wrote(p[:n], since)
	case len(a.x.answer)+n <= a.limit:
		a.x.answer = append(a.x.answer, p[:n]...)
	case a.limit > 0: // half of it is of no use
		a.x.answer, a.limit = nil, 0
	}
	return n, err
}

// Flush implements http.Flusher.
func (a *answer) Flush() {
	if f, ok := a.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
	if a.watch != nil {
		a.watch.flush(a.r.Sink.Now())
	}
}
