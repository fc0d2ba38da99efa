// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"io"
	"net/http"
	"slices"
	"strings"
)

// Respond has requests answered by a function, and keeps them: writes to objects, mostly. A code of 0 leaves a request to the
// endpoints.
func (a *API) Respond(respond func(Request) (code int, body string)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.respond = respond
}

// Asked are the requests that a function answered, since Asked was last called.
func (a *API) Asked() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := slices.Clone(a.asked)
	a.asked = nil
	return asked
}

// try answers a request by the function, or does not.
func (a *API) try(request *http.Request, body string) *http.Response {
	a.mu.Lock()
	respond := a.respond
	a.mu.Unlock()
	if respond == nil {
		return nil
	}
	asked := requestOf(request, body)
	code, text := respond(asked)
	if code == 0 {
		return nil
	}
	a.mu.Lock()
	a.asked = append(a.asked, asked)
	a.mu.Unlock()
	return answer(request, code, io.NopCloser(strings.NewReader(text)))
}

func requestOf(r *http.Request, body string) Request {
	return Request{
		Method: r.Method, Path: r.URL.Path, Accept: r.Header.Get("Accept"), ContentType: r.Header.Get("Content-Type"), Body: body, Query: r.URL.Query(),
		AuditID: r.Header.Get("Audit-ID"),
	}
}
