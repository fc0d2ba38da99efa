package main

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// spoil is what a proxy does to requests.
type spoil string

// The ways in which requests are spoilt; watches are cut and connections refused by other means.
const (
	expired     spoil = "410 for watches"
	expiring    spoil = "410 in watches"
	conflicts   spoil = "409 for writes"
	tooMany     spoil = "429"
	unavailable spoil = "503"
	lost        spoil = "answers to writes are lost"
	slow        spoil = "slow"
)

var spoils = []spoil{expired, expiring, conflicts, tooMany, unavailable, lost, slow}

func (p *proxy) set(s spoil) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spoil = s
}

func (p *proxy) now() spoil {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spoil
}

// spoils answers in the API server's place, every second time, and tells whether it did.
func (p *proxy) spoils(w http.ResponseWriter, r *http.Request) bool {
	if rand.N(2) == 0 {
		return false
	}
	switch p.now() {
	case slow:
		idle(r.Context(), rand.N(2*time.Second))
		return false
	case expired:
		return isWatch(r) && answer(w, apierrors.NewResourceExpired("the soak says so"))
	case expiring:
		return isWatch(r) && answerEvent(w, apierrors.NewResourceExpired("the soak says so"))
	case conflicts:
		return isWrite(r) && answer(w, apierrors.NewConflict(schema.GroupResource{}, "one", errors.New("the soak says so")))
	case tooMany:
		w.Header().Set("Retry-After", "1")
		return answer(w, apierrors.NewTooManyRequests("the soak says so", 1))
	case unavailable:
		return answer(w, apierrors.NewServiceUnavailable("the soak says so"))
	}
	return false
}

// modify loses answers that the API server gave.
func (p *proxy) modify(response *http.Response) error {
	if p.now() == lost && isWrite(response.Request) && rand.N(2) == 0 {
		return errLost
	}
	return nil
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") != "" }

func isWrite(r *http.Request) bool { return r.Method != http.MethodGet }

var statusType = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}

func answer(w http.ResponseWriter, status *apierrors.StatusError) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.ErrStatus.Code))
	status.ErrStatus.TypeMeta = statusType
	_ = json.NewEncoder(w).Encode(status.ErrStatus) // who asked may be gone
	return true
}

// answerEvent is a watch that begins well and then says that it can't go on.
func answerEvent(w http.ResponseWriter, status *apierrors.StatusError) bool {
	w.Header().Set("Content-Type", "application/json")
	status.ErrStatus.TypeMeta = statusType
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "ERROR", "object": status.ErrStatus})
	return true
}
