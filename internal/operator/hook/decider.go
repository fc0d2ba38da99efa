// SPDX-License-Identifier: Apache-2.0

package hook

import (
	"context"
	"fmt"
	"time"
)

// Op is what is asked.
type Op string

// The questions, as Metacontroller names them.
const (
	Sync      Op = "sync"
	Finalize  Op = "finalize"
	Customize Op = "customize"
)

// Call is one question about one object.
type Call struct {
	Op   Op
	Kind string
	Key  string
	Body []byte // Metacontroller's request, a JSON object
	// Observer is told how the call goes; it may be nil.
	Observer Observer
}

// Observer is told of steps of a call. Its methods do not wait.
type Observer interface {
	// Asks is called with the program, URL or directory of templates that is asked.
	Asks(name string)
	// Started is called when the call has had its turn.
	Started()
	// Printed is called for each line that a program printed to stderr for this call.
	Printed(line string)
}

func (c Call) started() {
	if c.Observer != nil {
		c.Observer.Started()
	}
}

// Decider decides the desired children of objects.
type Decider interface {
	// Has reports whether a question can be asked. Sync always can.
	Has(Op) bool
	// Call returns the answer, a JSON object.
	Call(context.Context, Call) ([]byte, error)
	// Changed hands out something when what decides has changed on disk, and every object is to be asked about again.
	Changed() <-chan struct{}
	// Close ends processes and watches; nothing is left running. Calls that are not finished end with an error.
	Close()
}

// RetryAfterError says that a call should be made again after a while, and not sooner.
type RetryAfterError struct {
	After time.Duration
	Err   error
}

// Error says why, and when.
func (e *RetryAfterError) Error() string {
	return fmt.Sprintf("%v; retrying in %s", e.Err, e.After.Round(time.Millisecond))
}

// Unwrap is the reason.
func (e *RetryAfterError) Unwrap() error { return e.Err }
