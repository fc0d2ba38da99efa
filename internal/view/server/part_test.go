// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// The page of a part has the time of the part: older records, which show the state at its begin, are not counted, and the notice says what
// they are.
func TestPageOfAPart(t *testing.T) {
	r := newRecording(false)
	r.after(time.Second)
	r.add(&trace.Version{Object: cronTabY, Type: "ADDED", RV: r.nextRV(), By: "old"})
	r.add(&trace.Request{ID: "old", Actor: kubectl, Began: r.t, Verb: "create", Resource: cronTabs, Namespace: "default", Name: "y", Object: cronTabY, Code: 201})
	r.after(time.Hour)
	r.records[0].Body.(*trace.Header).Begin = r.t
	r.hotLoop(controller, 100)
	p := open(t, serve(t, r).URL())
	p.has(".notice", "a part that begins at ")
	p.has(".finding.open", "reconciled by its own status write")
	p.has(".finding .detail", "since 13:00:01 or earlier (")
	span := eval[string](p, `document.querySelector(".brush svg").ariaLabel`)
	assert.True(t, strings.HasPrefix(span, "Records by time over 3 s"), span)
	p.key("2")
	for range 50 {
		p.click("[aria-label='Zoom out']")
		time.Sleep(30 * time.Millisecond)
	}
	p.has(".brush", "13:00:01 to 13:00:03")
	p.key("5")
	p.has(".view td", "crontab")
	p.has(".tree .row", "CronTab")
}
