// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/tools/cache"
)

// repeatEvery is how often the log has an error again that is the same as the last one of its key.
const repeatEvery = 10 * time.Second

// mostRepeated bounds the keys whose errors are remembered; a key that is not is logged each time.
const mostRepeated = 10_000

// repeated folds errors that are the same again and again: with a back-off that begins at 5 ms, an error is there nine times in two seconds. The
// zero value is ready to use.
type repeated struct {
	count atomic.Int64 // of keys: a success takes the lock only where there are failures
	mu    sync.Mutex
	byKey map[cache.ObjectName]*lastError
}

// lastError is the last error of a key, and how many of the same were not logged since.
type lastError struct {
	text   string
	told   time.Time
	folded int
}

// note counts an error of a key. It reports whether to log it, and how many of the same were left out before it.
func (r *repeated) note(key cache.ObjectName, err error, now time.Time) (folded int, tell bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, text := r.byKey[key], err.Error()
	switch {
	case last == nil && len(r.byKey) >= mostRepeated:
		return 0, true
	case last == nil:
		if r.byKey == nil {
			r.byKey = map[cache.ObjectName]*lastError{}
		}
		r.byKey[key] = &lastError{text: text, told: now}
		r.count.Add(1)
		return 0, true
	case last.text == text && now.Sub(last.told) < repeatEvery:
		last.folded++
		return 0, false
	}
	folded = last.folded
	*last = lastError{text: text, told: now}
	return folded, true
}

// forget drops the last error of a key, which has succeeded or has gone.
func (r *repeated) forget(key cache.ObjectName) {
	if r.count.Load() == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.byKey[key]; ok {
		delete(r.byKey, key)
		r.count.Add(-1)
	}
}

// withRepeats adds how many of the same errors were not logged.
func withRepeats(folded int, attributes ...any) []any {
	if folded > 0 {
		attributes = append(attributes, "repeats", folded)
	}
	return attributes
}
