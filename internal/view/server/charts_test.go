// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// When a key is tried again is what its queue says. Where that is not recorded, the page says so, and does not make it up.
func TestNextTry(t *testing.T) {
	for _, test := range []struct {
		queue *trace.Queue
		want  string
	}{
		{&trace.Queue{Op: "rateLimited", Delay: 2.6e9, Tries: 10}, "12:00:03.700, in 2.6 s"},
		{&trace.Queue{Op: "skip"}, "not recorded"},
	} {
		r := newRecording(false)
		r.after(time.Second)
		reconcile := trace.Reconcile{ID: "r", Controller: "crontab", Actor: controller, Key: "default/x", Object: cronTabX, Source: "loop"}
		begin, end := reconcile, reconcile
		begin.State, begin.Began = "begin", r.t
		r.add(&begin)
		r.after(100 * time.Millisecond)
		end.State, end.Result, end.Err = "end", "error", "the crane is out of order"
		r.add(&end)
		test.queue.Controller, test.queue.Key = "crontab", "default/x"
		r.add(test.queue)
		p := open(t, serve(t, r).URL())
		p.key("5")
		p.has(".view td", "back-off")
		p.has(".view td", test.want)
	}
}
