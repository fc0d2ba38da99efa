// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestPutOff(t *testing.T) {
	minute, conflict, failure := &LaterError{After: time.Minute, Err: context.Canceled}, &LaterError{Err: errors.New("conflict")}, errors.New("failure")
	for name, c := range map[string]struct {
		err   error
		after time.Duration
		only  bool
	}{
		"none":                   {nil, 0, false},
		"a failure":              {failure, 0, false},
		"put off":                {minute, time.Minute, true},
		"in other words":         {fmt.Errorf("sync: %w", minute), time.Minute, true},
		"the longer one":         {errors.Join(conflict, minute), time.Minute, true},
		"beside a failure":       {errors.Join(conflict, failure), 0, false},
		"deep beside a failure":  {fmt.Errorf("all: %w", errors.Join(errors.Join(minute), fmt.Errorf("one: %w", failure))), 0, false},
		"two in one's own words": {fmt.Errorf("%w, %w", minute, conflict), time.Minute, true},
	} {
		if after, only := PutOff(c.err); after != c.after || only != c.only {
			t.Errorf("%s: %s, %v; want %s, %v", name, after, only, c.after, c.only)
		}
	}
	assert.ErrorIs(t, minute, context.Canceled, "the reason is lost")
}
