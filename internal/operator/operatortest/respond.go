package operatortest

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Responder answers single requests, and keeps them: writes to objects, mostly. A code of 0 leaves a request to the
// endpoints.
type Responder struct {
	mu      sync.Mutex
	respond func(Request) (code int, body string)
	asked   []Request
}

// Respond has all requests but lists and watches answered by a function.
func (a *API) Respond(respond func(Request) (code int, body string)) *Responder {
	r := &Responder{respond: respond}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.responder = r
	return r
}

// Asked are the requests that were answered, since Asked was last called.
func (r *Responder) Asked() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	asked := slices.Clone(r.asked)
	r.asked = nil
	return asked
}

// try answers a request, or does not.
func (r *Responder) try(request *http.Request, body string) *http.Response {
	if r == nil {
		return nil
	}
	asked := requestOf(request, body)
	code, text := r.respond(asked)
	if code == 0 {
		return nil
	}
	r.mu.Lock()
	r.asked = append(r.asked, asked)
	r.mu.Unlock()
	return answer(request, code, io.NopCloser(strings.NewReader(text)))
}

func requestOf(r *http.Request, body string) Request {
	return Request{
		Method: r.Method, Path: r.URL.Path, Accept: r.Header.Get("Accept"), ContentType: r.Header.Get("Content-Type"), Body: body, Query: r.URL.Query(),
	}
}
