// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// API is an API server as an http.RoundTripper. It has no connections, so that a test on it can have the clock of
// testing/synctest.
type API struct {
	mu         sync.Mutex
	paths      map[string]*Endpoint
	respond    func(Request) (code int, body string)
	asked      []Request
	retryAfter string // in all responses
}

// NewAPI makes an API server that knows no path: it answers 404.
func NewAPI() *API { return &API{paths: map[string]*Endpoint{}, retryAfter: "3600"} }

// SetRetryAfter replaces the header Retry-After, which all responses have: an hour, if it is not set.
func (a *API) SetRetryAfter(seconds string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.retryAfter = seconds
}

// At is the endpoint of a path, which exists from now on and is empty.
func (a *API) At(path string) *Endpoint {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.paths[path] == nil {
		a.paths[path] = &Endpoint{Version: "100"}
	}
	return a.paths[path]
}

// CloseIdleConnections is what the loop calls at its end; there are none.
func (a *API) CloseIdleConnections() {}

// RoundTrip implements http.RoundTripper.
func (a *API) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := a.roundTrip(r)
	if response != nil {
		a.mu.Lock()
		response.Header.Set("Retry-After", a.retryAfter)
		a.mu.Unlock()
	}
	return response, err
}

func (a *API) roundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	if response := a.try(r, string(body)); response != nil {
		return response, nil
	}
	a.mu.Lock()
	e := a.paths[r.URL.Path]
	if e == nil { // an object's own path
		e = a.paths[r.URL.Path[:strings.LastIndexByte(r.URL.Path, '/')]]
	}
	a.mu.Unlock()
	if e == nil {
		return answer(r, http.StatusNotFound, io.NopCloser(strings.NewReader("404 page not found"))), nil
	}
	return e.roundTrip(r, string(body))
}

// Request is what a client asked for.
type Request struct {
	Method, Path, Accept, ContentType, Body string
	AuditID                                 string
	Query                                   url.Values
}

// Watch tells that it was a watch.
func (r Request) Watch() bool { return r.Query.Get("watch") != "" }

// Endpoint is one path: it answers with an error, or else lists its objects and lets a watch hang until Cut.
type Endpoint struct {
	// Version is the resource version of lists.
	Version string

	mu       sync.Mutex
	err      error
	noStream error // the answer to a list as a watch
	objects  []string
	watches  []*stream
	requests []Request
}

// Answer says how every later request is answered, and ends the watches. An API status is sent as an answer; any other
// error is one of the connection.
func (e *Endpoint) Answer(err error, objects ...string) {
	e.mu.Lock()
	e.err, e.objects = err, objects
	e.mu.Unlock()
	e.Cut()
}

// RefuseStreams has lists that are asked for as watches refused.
func (e *Endpoint) RefuseStreams(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.noStream = err
}

// Cut ends the watches, and nothing else.
func (e *Endpoint) Cut() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.watches {
		w.end(io.EOF)
	}
	e.watches = nil
}

// Send sends an event to all who watch.
func (e *Endpoint) Send(eventType, object string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.watches {
		w.write(event(eventType, object))
	}
}

// Requests are all so far.
func (e *Endpoint) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Request(nil), e.requests...)
}

func event(eventType, object string) string {
	return `{"type":"` + eventType + `","object":` + object + "}\n"
}

func (e *Endpoint) roundTrip(r *http.Request, body string) (*http.Response, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	asked := requestOf(r, body)
	e.requests = append(e.requests, asked)
	err := e.err
	if err == nil && asked.Query.Get("sendInitialEvents") == "true" {
		err = e.noStream
	}
	var status apierrors.APIStatus
	switch {
	case errors.As(err, &status):
		return answer(r, int(status.Status().Code), io.NopCloser(strings.NewReader(Status(err)))), nil
	case err != nil:
		return nil, err
	case asked.Watch():
		w := newStream(r.Context())
		if asked.Query.Get("sendInitialEvents") == "true" {
			for _, o := range e.objects {
				w.write(event("ADDED", o))
			}
			w.write(event("BOOKMARK", `{"metadata":{"resourceVersion":"`+e.Version+`","annotations":{"`+metav1.InitialEventsAnnotationKey+`":"true"}}}`))
		}
		e.watches = append(e.watches, w)
		return answer(r, http.StatusOK, w), nil
	case r.Method == http.MethodGet:
		list := `{"metadata":{"resourceVersion":"` + e.Version + `"},"items":[` + strings.Join(e.objects, ",") + "]}"
		return answer(r, http.StatusOK, io.NopCloser(strings.NewReader(list))), nil
	}
	return answer(r, http.StatusOK, io.NopCloser(strings.NewReader(asked.Body))), nil
}

// Status is an error of the API server as JSON.
func Status(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		panic("no status of an API server: " + err.Error())
	}
	s := status.Status()
	s.Kind, s.APIVersion = "Status", "v1"
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func answer(r *http.Request, code int, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: body, ContentLength: -1, Request: r,
	}
}
