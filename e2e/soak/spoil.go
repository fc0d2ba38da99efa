package main

import (
	"math/rand/v2"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdctl/crdctl/e2e/internal/harness/faultproxy"
)

// spoil is what a proxy does to every second request of a sort. Watches are cut and connections refused by other means.
type spoil struct {
	what    string
	matches func(*http.Request) bool
	answer  func(*faultproxy.Proxy) http.HandlerFunc
	cuts    bool // the watches, so that there are new ones
}

func refuse(code int, reason metav1.StatusReason) func(*faultproxy.Proxy) http.HandlerFunc {
	return func(*faultproxy.Proxy) http.HandlerFunc { return faultproxy.Refuse(code, reason) }
}

func every(*http.Request) bool { return true }

var spoils = []spoil{
	{"410 for watches", faultproxy.IsWatch, refuse(http.StatusGone, metav1.StatusReasonExpired), true},
	{"410 in watches", faultproxy.IsWatch, func(*faultproxy.Proxy) http.HandlerFunc {
		return faultproxy.ErrorEvent(http.StatusGone, metav1.StatusReasonExpired)
	}, true},
	{"409 for writes", faultproxy.IsWrite, refuse(http.StatusConflict, metav1.StatusReasonConflict), false},
	{"429", every, refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests), false},
	{"503", every, refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable), false},
	{"answers to writes are lost", faultproxy.IsWrite, func(p *faultproxy.Proxy) http.HandlerFunc { return p.Lose }, false},
	{"slow", every, func(p *faultproxy.Proxy) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			idle(r.Context(), rand.N(2*time.Second))
			p.Forward(w, r)
		}
	}, false},
}

// on spoils every second request until the fault ends.
func (s spoil) on(p *faultproxy.Proxy) *faultproxy.Fault {
	f := p.Inject(-1, func(r *http.Request) bool { return s.matches(r) && rand.N(2) == 0 }, s.answer(p))
	if s.cuts {
		p.EndWatches(faultproxy.End{})
	}
	return f
}
