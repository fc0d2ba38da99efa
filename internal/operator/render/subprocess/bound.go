// SPDX-License-Identifier: Apache-2.0

package subprocess

import (
	"errors"
	"fmt"
	"time"
)

// Bound is what a rendering may not exceed.
type Bound string

// The bounds. A process that ran out of stack recursed too deep.
const (
	Time   Bound = "time"
	Memory Bound = "memory"
	Stack  Bound = "stack"
	Output Bound = "output"
)

// BoundError is the end of a rendering that exceeded a bound. It is that of one object, and the next rendering of that object waits.
type BoundError struct {
	Bound Bound
	limit string
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("rendering exceeds the %s limit of %s; check the templates with this object", e.Bound, e.limit)
}

// memoryLimit bounds the heap and the stacks of a helper for a request. What is large itself needs more: decoded, JSON takes five to ten
// times its size.
func memoryLimit(request, maxOutput int) int {
	return max(256<<20, 16*request, 16*maxOutput)
}

// explain adds to an error that is a bound's what the limit was.
func (o Options) explain(err error, request int) error {
	exceeded, ok := errors.AsType[*BoundError](err)
	if !ok {
		return err
	}
	limits := map[Bound]string{
		Time:   fmt.Sprintf("%s (--hook-timeout)", o.Timeout),
		Memory: fmt.Sprintf("%d MiB", memoryLimit(request, o.MaxOutput)>>20),
		Stack:  fmt.Sprintf("%d MiB: it recurses too deep", maxStack>>20),
		Output: fmt.Sprintf("%d bytes (--hook-max-bytes)", o.MaxOutput),
	}
	return &BoundError{Bound: exceeded.Bound, limit: limits[exceeded.Bound]}
}

// pause is how long an object waits that exceeded a bound so many times, after a rendering that took so long: long enough for such
// objects to take a small part of the processor's time, and no longer than a user who watches the log waits.
func pause(times int, took time.Duration) time.Duration {
	return min(max(time.Second, 2*took)<<min(times-1, 10), longestPause)
}

const longestPause = 5 * time.Minute
