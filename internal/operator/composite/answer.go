// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	Events             []Event          `json:"events"`
}

// Event is an event about the parent; Metacontroller has none.
type Event struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

var answerFields = []string{"status", "children", "resyncAfterSeconds", "finalized", "events"}

// The bounds of resyncAfterSeconds. A year: a duration must not overflow. A tenth of a second: a hook that computes how long
// it is until a time that is nearly there would be asked as fast as it answers.
const (
	longestResync  = 365 * 24 * 3600
	shortestResync = 0.1
)

// read decodes an answer. Without children all are removed: that is not done where a field's name may be a misspelt one.
func (r *reconciler) read(said []byte, finalizing bool) (answer, error) {
	var a answer
	if err := noDuplicates(said); err != nil {
		return a, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(said, &fields); err != nil {
		return a, formError(err)
	}
	odd := r.warnOfOthers(fields, "", answerFields)
	// apimachinery's decoder keeps integers whole.
	if err := utiljson.Unmarshal(said, &a); err != nil {
		return a, formError(err)
	}
	leaves := finalizing && a.Finalized // the children, to the garbage collector
	if _, has := fields["children"]; !has && !leaves && len(odd) > 0 {
		return a, fmt.Errorf("the answer has no field children, but has the unknown %s; correct the name, or add \"children\": [] to delete all children", strings.Join(odd, ", "))
	}
	if bytes.Equal(a.Status, []byte("null")) {
		a.Status = nil
	}
	if a.Status != nil && !bytes.HasPrefix(bytes.TrimSpace(a.Status), []byte("{")) {
		return a, errors.New("the answer's status is not an object")
	}
	// A negative value asks for nothing, as with Metacontroller: a hook may have computed when its time was.
	if a.ResyncAfterSeconds = max(a.ResyncAfterSeconds, 0); a.ResyncAfterSeconds > 0 {
		a.ResyncAfterSeconds = min(max(a.ResyncAfterSeconds, shortestResync), longestResync)
	}
	for i, e := range a.Events {
		switch {
		case e.Type == "":
			a.Events[i].Type = corev1.EventTypeNormal
		case e.Type != corev1.EventTypeNormal && e.Type != corev1.EventTypeWarning:
			return a, fmt.Errorf("events[%d]: unknown type %q; use Normal or Warning", i, e.Type)
		}
		if e.Reason == "" {
			return a, fmt.Errorf("events[%d] has no reason; set one word in CamelCase", i)
		}
	}
	return a, nil
}

// warnOfOthers returns the fields that mean nothing here, and warns of each once: Metacontroller passes them over, and a hook
// may have been written for one of its later versions. They are fields of what is at a place in the answer.
func (r *reconciler) warnOfOthers(fields map[string]json.RawMessage, at string, known []string) (odd []string) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if slices.Contains(known, name) {
			continue
		}
		odd = append(odd, name)
		if r.odd.isNew(at + name) {
			r.log.Warn("Hook's answer has an unknown field", "field", at+name, "known", known)
		}
	}
	return odd
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
