// SPDX-License-Identifier: Apache-2.0

package faultproxy

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault answers requests that match it.
type Fault struct {
	proxy   *Proxy
	matches func(*http.Request) bool
	answer  http.HandlerFunc
	left    int // how many more times; below 0: until it ends
	hits    int
}

// Inject makes a fault that happens so many times, or until it ends for a negative number.
func (p *Proxy) Inject(times int, matches func(*http.Request) bool, answer http.HandlerFunc) *Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := &Fault{proxy: p, matches: matches, answer: answer, left: times}
	p.faults = append(p.faults, f)
	return f
}

// End ends a fault.
func (f *Fault) End() {
	f.proxy.mu.Lock()
	defer f.proxy.mu.Unlock()
	f.left = 0
	f.proxy.faults = slices.DeleteFunc(f.proxy.faults, func(other *Fault) bool { return other == f })
}

// Count returns how many requests met the fault.
func (f *Fault) Count() int {
	f.proxy.mu.Lock()
	defer f.proxy.mu.Unlock()
	return f.hits
}

func (p *Proxy) faultOf(r *http.Request) http.HandlerFunc {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		if f.left != 0 && f.matches(r) {
			f.left--
			f.hits++
			return f.answer
		}
	}
	return nil
}

// IsWatch reports whether a request is for a watch.
func IsWatch(r *http.Request) bool {
	watch, err := strconv.ParseBool(r.URL.Query().Get("watch"))
	return err == nil && watch
}

// IsWrite reports whether a request changes something.
func IsWrite(r *http.Request) bool { return r.Method != http.MethodGet }

// Refuse answers with an error of the API server.
func Refuse(code int, reason metav1.StatusReason) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if code == http.StatusTooManyRequests || code >= http.StatusInternalServerError {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(code)
		_, _ = w.Write(Status(code, reason)) // the client may be gone
	}
}

// ErrorEvent answers a watch with an error event, after an orderly start.
func ErrorEvent(code int, reason metav1.StatusReason) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(Event(code, reason)) // the client may be gone
	}
}

// Event is the error event of a watch.
func Event(code int, reason metav1.StatusReason) []byte {
	return slices.Concat([]byte(`{"type":"ERROR","object":`), Status(code, reason), []byte("}\n"))
}

// Status is an error of the API server.
func Status(code int, reason metav1.StatusReason) []byte {
	status := metav1.Status{Status: metav1.StatusFailure, Message: "injected", Reason: reason, Code: int32(code)}
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	data, err := json.Marshal(status)
	if err != nil {
		panic(err) // of strings and a number
	}
	return data
}

// HangUp closes the connection instead of answering.
func HangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Hang does not answer until the client has gone.
func Hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // until then the server does not notice that the client has gone
	<-r.Context().Done()
}
