// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"time"

	"github.com/crdctl/crdctl/internal/operator/informer"
)

// LaterError puts a reconcile off without calling it a failure: no error in the log, no event.
type LaterError struct {
	// After is when to try again; 0 backs off as after a failure, for what is mostly over at once and may last.
	After time.Duration
	Err   error
}

func (e *LaterError) Error() string { return e.Err.Error() }

func (e *LaterError) Unwrap() error { return e.Err }

// PutOff reports whether an error only puts a reconcile off, and for how long. Of errors that are joined, each has to: a failure
// next to them is not to be hidden by what will be over soon.
func PutOff(err error) (after time.Duration, only bool) {
	switch e := err.(type) { //nolint:errorlint // this is the walk that errors.As would make, but for its "any of them"
	case *LaterError:
		return e.After, true
	case *informer.DelayedError:
		return e.After, true
	case interface{ Unwrap() []error }:
		all := e.Unwrap()
		for _, one := range all {
			longer, puts := PutOff(one)
			if !puts {
				return 0, false
			}
			after = max(after, longer)
		}
		return after, len(all) > 0
	case interface{ Unwrap() error }:
		return PutOff(e.Unwrap())
	}
	return 0, false
}
