// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"
	"time"
)

// replicaHook is the hook of all replicas, each of which has a path of its own: it sees who works on which key, and when,
// with one clock. Its answers are statuses with the revision of the object's spec and the number of a call: the same question
// of the same replica has the same answer, but for one that was held.
type replicaHook struct {
	*testing.T
	url string

	mu       sync.Mutex
	open     map[string][]*hookCall // by key
	calls    []*hookCall
	said     map[hookCall]int
	excused  map[string]bool // replicas that were killed or stopped: their calls no longer count
	held     map[string]chan struct{}
	overlaps int
}

// hookCall is one call, which has ended or not.
type hookCall struct {
	replica, key string
	revision     int64
	number       int
	answer       int // the number that its status has
	ended        bool
	answered     bool // and not given up by who asked
}

func newReplicaHook(t *testing.T) *replicaHook {
	h := &replicaHook{T: t, open: map[string][]*hookCall{}, said: map[hookCall]int{}, excused: map[string]bool{}, held: map[string]chan struct{}{}}
	server := httptest.NewServer(h)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	h.url = server.URL
	return h
}

// ServeHTTP answers a sync hook. It takes a moment, so that two who work on one key meet.
func (h *replicaHook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var question struct {
		Parent struct {
			Metadata struct{ Namespace, Name string }
			Spec     struct{ Revision int64 }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	parent := &question.Parent
	call, held := h.begin(path.Base(r.URL.Path), parent.Metadata.Namespace+"/"+parent.Metadata.Name, parent.Spec.Revision)
	timer := time.NewTimer(time.Duration(rand.Int64N(int64(30 * time.Millisecond))))
	defer timer.Stop()
	if held == nil {
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
	} else {
		select {
		case <-held:
		case <-r.Context().Done():
		}
	}
	h.end(call, r.Context().Err() == nil)
	_, _ = fmt.Fprintf(w, `{"status": {"revision": %d, "call": %d}, "children": []}`, call.revision, call.answer)
}

func (h *replicaHook) begin(replica, key string, revision int64) (*hookCall, chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	question := hookCall{replica: replica, key: key, revision: revision}
	call := &hookCall{replica: replica, key: key, revision: revision, number: len(h.calls) + 1}
	for _, other := range h.open[key] {
		if h.excused[other.replica] {
			continue
		}
		if h.overlaps++; h.overlaps <= 5 {
			h.Errorf("%s begins with %s (call %d), on which %s works (call %d)", replica, key, call.number, other.replica, other.number)
		}
	}
	h.calls, h.open[key] = append(h.calls, call), append(h.open[key], call)
	held := h.held[key]
	delete(h.held, key) // of the next call only
	if call.answer = h.said[question]; call.answer == 0 || held != nil {
		call.answer = call.number
	}
	if held == nil {
		h.said[question] = call.answer
	}
	return call, held
}

func (h *replicaHook) end(call *hookCall, answered bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	call.ended, call.answered = true, answered
	for i, other := range h.open[call.key] {
		if other == call {
			h.open[call.key] = append(h.open[call.key][:i:i], h.open[call.key][i+1:]...)
			return
		}
	}
}

// hold has the next call about a key wait until release is called.
func (h *replicaHook) hold(key string) (release func()) {
	held := make(chan struct{})
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held[key] = held
	return sync.OnceFunc(func() { close(held) })
}

// excuse is to be called before a replica is killed or stopped, and undone before it goes on.
func (h *replicaHook) excuse(replica string, excused bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.excused[replica] = excused
}

// since are copies of the calls from a number on.
func (h *replicaHook) since(first int) (calls []hookCall) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, call := range h.calls[first:] {
		calls = append(calls, *call)
	}
	return calls
}

func (h *replicaHook) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.calls)
}
