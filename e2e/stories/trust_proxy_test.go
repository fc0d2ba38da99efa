package stories

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// proxy stands between a loop and the API server, and makes the faults that a real one can't be asked for.
type proxy struct {
	kubeconfig string // of the way through the proxy

	mu      sync.Mutex
	faults  []*fault
	watches map[*watched]bool
}

// fault is what becomes of the requests that match, in the place of an answer.
type fault struct {
	proxy   *proxy
	matches func(*http.Request) bool
	answer  http.HandlerFunc
	left    int // how many times more; below 0: until it ends
	hits    int
}

func (r *trusted) proxy() *proxy {
	r.Helper()
	upstream, err := rest.TransportFor(r.config)
	r.check(err)
	target, err := url.Parse(r.config.Host)
	r.check(err)
	p := &proxy{watches: map[*watched]bool{}, kubeconfig: filepath.Join(r.dir, "through-proxy")}
	forward := &httputil.ReverseProxy{
		Rewrite:   func(pr *httputil.ProxyRequest) { pr.SetURL(target) },
		Transport: upstream, FlushInterval: -1, ModifyResponse: p.follow, ErrorLog: log.New(io.Discard, "", 0),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if answer := p.faultOf(request); answer != nil {
			answer(w, request)
			return
		}
		forward.ServeHTTP(w, request)
	}))
	r.Cleanup(func() {
		server.CloseClientConnections() // watches would be waited for
		server.Close()
	})
	r.write(p.kubeconfig, fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: c}}], clusters: [{name: c, cluster: {server: %q}}]}`, server.URL))
	return p
}

func (p *proxy) faultOf(request *http.Request) http.HandlerFunc {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		if f.left != 0 && f.matches(request) {
			f.left--
			f.hits++
			return f.answer
		}
	}
	return nil
}

// inject makes a fault; times below 0 means until it ends.
func (p *proxy) inject(times int, matches func(*http.Request) bool, answer http.HandlerFunc) *fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &fault{proxy: p, matches: matches, answer: answer, left: times}
	p.faults = append(p.faults, f)
	return f
}

func (f *fault) end() {
	f.proxy.mu.Lock()
	defer f.proxy.mu.Unlock()
	f.left = 0
}

func (f *fault) count() int {
	f.proxy.mu.Lock()
	defer f.proxy.mu.Unlock()
	return f.hits
}

// refused is an answer of an API server that says no.
func refused(code int, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, statusOf(code, reason))
	}
}

func statusOf(code int, reason string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"injected","reason":%q,"code":%d}`, reason, code)
}

// hungUp closes the connection in the place of an answer.
func hungUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// hangs answers nothing until the other side has gone.
func hangs(_ http.ResponseWriter, request *http.Request) {
	_, _ = io.Copy(io.Discard, request.Body) // until then the server does not see that the other side has gone
	<-request.Context().Done()
}

func isWatch(r *http.Request) bool {
	return slices.Contains([]string{"1", "true"}, r.URL.Query().Get("watch"))
}

func isList(r *http.Request) bool {
	return r.Method == http.MethodGet && !isWatch(r) && (strings.HasSuffix(r.URL.Path, "/things") || strings.HasSuffix(r.URL.Path, "/configmaps"))
}

func isWrite(r *http.Request) bool { return r.Method == http.MethodPatch }

// watched is the answer to a watch, which can be made to end.
type watched struct {
	io.ReadCloser
	proxy *proxy

	mu     sync.Mutex
	middle bool   // end in the middle of what comes next
	last   string // what comes before the end
	clean  bool   // end as an answer ends, and not as a connection does
	ended  bool
}

func (p *proxy) follow(response *http.Response) error {
	if isWatch(response.Request) && response.StatusCode == http.StatusOK {
		w := &watched{ReadCloser: response.Body, proxy: p}
		response.Body = w
		p.mu.Lock()
		defer p.mu.Unlock()
		p.watches[w] = true
	}
	return nil
}

// Close implements io.Closer.
func (w *watched) Close() error {
	w.proxy.mu.Lock()
	delete(w.proxy.watches, w)
	w.proxy.mu.Unlock()
	return w.ReadCloser.Close()
}

var errCut = errors.New("cut by the test")

// Read implements io.Reader.
func (w *watched) Read(b []byte) (int, error) {
	w.mu.Lock()
	ended := w.ended && w.middle
	w.mu.Unlock()
	if ended {
		return 0, errCut
	}
	n, err := w.ReadCloser.Read(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.middle && !w.ended && n > 1:
		w.ended = true
		return n / 2, nil
	case w.last != "":
		n, w.last = copy(b, w.last), ""
		return n, nil
	case w.ended && w.clean:
		return 0, io.EOF
	case w.ended:
		return 0, errCut
	}
	return n, err
}

// endWatches ends all that there are, and tells how many they were.
func (p *proxy) endWatches(how func(*watched)) int {
	p.mu.Lock()
	all := make([]*watched, 0, len(p.watches))
	for w := range p.watches {
		all = append(all, w)
	}
	clear(p.watches)
	p.mu.Unlock()
	for _, w := range all {
		w.mu.Lock()
		how(w)
		waits := w.middle
		w.mu.Unlock()
		if !waits {
			_ = w.ReadCloser.Close() // wakes the one who reads
		}
	}
	return len(all)
}
