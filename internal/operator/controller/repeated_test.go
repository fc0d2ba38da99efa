// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRepeatedErrorsAreFolded(t *testing.T) {
	var r repeated
	now, a, b := time.Now(), errors.New("a"), errors.New("b")
	for i, step := range []struct {
		after  time.Duration
		key    string
		err    error
		folded int
		tell   bool
	}{
		{0, "x", a, 0, true},
		{time.Millisecond, "x", a, 0, false},
		{time.Millisecond, "y", a, 0, true}, // of another object
		{time.Millisecond, "x", a, 0, false},
		{time.Millisecond, "x", b, 2, true}, // another error
		{time.Millisecond, "x", b, 0, false},
		{repeatEvery, "x", b, 1, true}, // it is there still
		{time.Millisecond, "x", b, 0, false},
	} {
		now = now.Add(step.after)
		if folded, tell := r.note(keyOf(step.key), step.err, now); folded != step.folded || tell != step.tell {
			t.Errorf("%d: %d %v, want %d %v", i, folded, tell, step.folded, step.tell)
		}
	}
	r.forget(keyOf("x"))
	r.forget(keyOf("x"))
	r.forget(keyOf("y"))
	if n := r.count.Load(); n != 0 || len(r.byKey) != 0 {
		t.Errorf("%d and %d are left", n, len(r.byKey))
	}
	_, tell := r.note(keyOf("x"), b, now)
	assert.True(t, tell, "an error after a success is not logged")
}
