// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var growingQueue = &Type{
	Name:  "growing-queue",
	Means: "the queue of a controller has at least 10 keys and grows for 5 seconds: keys come faster than they are worked on",
	Fix:   "work on more keys at once (MaxConcurrentReconciles), make reconciles faster, or find what adds so many keys",
	needs: []trace.Kind{trace.KindQueue},
	lacks: noReconcilesOrMetrics,
	install: func(b base) {
		q := &queues{base: b, of: map[string]*depths{}}
		b.onQueue = append(b.onQueue, q.queue)
		b.onMetrics = append(b.onMetrics, q.metrics)
		b.onTick = append(b.onTick, q.tick)
	},
}

const (
	growSeconds = 5
	growLeast   = 10
)

type queues struct {
	base

	of map[string]*depths // by controller
}

// depths is the depth at the end of each of the last seconds.
type depths struct {
	last    int
	seq     int64
	t       int64
	history []mark // depth in t
	open    bool
	peak    int
}

func (q *queues) queue(b *trace.Queue, r trace.Record) {
	if b.Op == "add" { // the others are queued later, and have no depth
		q.sample(b.Controller, b.Depth, r)
	}
}

func (q *queues) metrics(b *trace.Metrics, r trace.Record) {
	for _, name := range slices.Sorted(maps.Keys(b.Samples)) {
		if controller, ok := labelOf(name, "workqueue_depth", "name"); ok {
			q.sample(controller, int(b.Samples[name]), r)
		}
	}
}

func (q *queues) sample(controller string, depth int, r trace.Record) {
	d := q.of[controller]
	if d == nil {
		d = &depths{}
		q.of[controller] = d
	}
	d.last, d.seq, d.t = depth, r.Seq, r.T
}

func (q *queues) tick(now int64) {
	for controller, d := range q.of {
		if now-d.t > growSeconds*second {
			d.last = 0 // nothing was added, and what was there is worked on
		}
		if d.history = append(d.history, mark{int64(d.last), d.seq}); len(d.history) > growSeconds+1 {
			d.history = d.history[1:]
		}
		if d.grows() {
			d.open, d.peak = true, max(d.peak, d.last)
			seqs := make([]int64, 0, len(d.history))
			for _, m := range d.history {
				seqs = append(seqs, m.seq)
			}
			q.report(trace.Finding{
				Subject: controller, Since: now - growSeconds*second, Certainty: trace.Certain, Evidence: evidence(seqs...),
				Message: fmt.Sprintf("the queue of %s grows: from %d to %d keys in %s", controller, d.history[0].t, d.last, model.Duration(growSeconds*second)),
			}, now)
		} else if d.open && d.last*2 < d.peak {
			d.open, d.peak = false, 0
			q.resolve(controller)
		}
	}
}

func (d *depths) grows() bool {
	if len(d.history) <= growSeconds || d.last < growLeast || int64(d.last) < 2*d.history[0].t {
		return false
	}
	for i, m := range d.history[1:] {
		if m.t < d.history[i].t {
			return false
		}
	}
	return true
}
