package composite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// answer is a decider's.
type answer struct {
	// Status replaces the parent's; nil leaves it alone.
	Status             json.RawMessage  `json:"status"`
	Children           []map[string]any `json:"children"`
	ResyncAfterSeconds float64          `json:"resyncAfterSeconds"`
	Finalized          bool             `json:"finalized"`
	Events             []event          `json:"events"`
}

// event is an event about the parent; Metacontroller has none.
type event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

var answerFields = []string{"status", "children", "resyncAfterSeconds", "finalized", "events"}

// longestResync is a year: a duration must not overflow.
const longestResync = 365 * 24 * 3600

// read decodes an answer. Fields that no answer has are warned of once: Metacontroller passes them over, and a hook may
// have been written for one of its later versions.
func (r *reconciler) read(said []byte) (answer, error) {
	var a answer
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(said, &fields); err != nil {
		return a, fmt.Errorf("the answer is no JSON object: %w", err)
	}
	for name := range fields {
		if !slices.Contains(answerFields, name) {
			if r.odd.isNew(name) {
				r.log.Warn("Hook's answer has a field that means nothing here", "field", name, "known", answerFields)
			}
		}
	}
	// apimachinery's decoder keeps integers whole.
	if err := utiljson.Unmarshal(said, &a); err != nil {
		return a, fmt.Errorf("the answer does not have the form of one: %w", err)
	}
	if bytes.Equal(a.Status, []byte("null")) {
		a.Status = nil
	}
	if a.Status != nil && !bytes.HasPrefix(bytes.TrimSpace(a.Status), []byte("{")) {
		return a, errors.New("the answer's status is no object")
	}
	// What is less than nothing asks for nothing, as with Metacontroller: a hook may have computed when its time was.
	a.ResyncAfterSeconds = min(max(a.ResyncAfterSeconds, 0), longestResync)
	for i, e := range a.Events {
		switch {
		case e.Type == "":
			a.Events[i].Type = corev1.EventTypeNormal
		case e.Type != corev1.EventTypeNormal && e.Type != corev1.EventTypeWarning:
			return a, fmt.Errorf("events[%d] is of type %q; there are Normal and Warning", i, e.Type)
		}
		if e.Reason == "" {
			return a, fmt.Errorf("events[%d] has no reason; give it one word in camel case", i)
		}
	}
	return a, nil
}

// oddities are what was odd in answers, each to be said once.
type oddities struct {
	mu    sync.Mutex
	known map[string]bool
}

// mostOddities bounds what is remembered of a hook that says something else each time.
const mostOddities = 20

func (o *oddities) isNew(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known[name] || len(o.known) >= mostOddities {
		return false
	}
	if o.known == nil {
		o.known = map[string]bool{}
	}
	o.known[name] = true
	return true
}
