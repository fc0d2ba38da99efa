// SPDX-License-Identifier: Apache-2.0

package proc

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// Marker is the environment variable by which the descendants of a child are found again. They inherit it, whatever session and
// process group they put themselves into.
const Marker = "CRDCTL_RUN"

// markSeparator is between the mark of all children and the number of one of them.
const markSeparator = "#"

// children numbers the children of this process.
var children atomic.Uint64

// newMark returns the mark of one child among those that share a mark.
func newMark(mark string) string {
	return fmt.Sprintf("%s%s%d", mark, markSeparator, children.Add(1))
}

// isMarked reports whether an entry of an environment marks a descendant of what mark was given to.
func isMarked(entry, mark string) bool {
	rest, ok := strings.CutPrefix(entry, Marker+"="+mark)
	return ok && (rest == "" || strings.HasPrefix(rest, markSeparator))
}

// The bounds of KillMarked. A process that starts others faster than it can be killed is not waited for.
const (
	killPatience = 2 * time.Second
	killPause    = 5 * time.Millisecond
)

// KillMarked kills the processes of this user that descend from children with this mark, and returns when they have ended. A
// process that cleared its environment or that changed its user is not found; outside Linux none is. An empty mark is that of no process.
func KillMarked(mark string) {
	if mark == "" {
		return
	}
	for end := time.Now().Add(killPatience); killMarkedOnce(mark) > 0 && time.Now().Before(end); {
		time.Sleep(killPause)
	}
}
