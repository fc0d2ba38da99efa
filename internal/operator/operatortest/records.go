// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// Records is a trace.Sink that keeps all. Its clock is that of the test.
type Records struct {
	mu    sync.Mutex
	defs  *trace.Defs
	began time.Time
	all   []trace.Record
}

// NewRecords makes an empty one.
func NewRecords() *Records {
	r := &Records{began: time.Now()}
	r.defs = trace.NewDefs(func(d *trace.Def) { r.Add(d) })
	return r
}

// Add implements trace.Sink.
func (r *Records) Add(b trace.Body) { r.AddAt(r.Now(), b) }

// AddAt implements trace.Sink.
func (r *Records) AddAt(t int64, b trace.Body) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, trace.Record{Seq: int64(len(r.all) + 1), T: t, Body: b})
}

// Now implements trace.Sink. It is never 0: that is "not known".
func (r *Records) Now() int64 { return int64(time.Since(r.began)) + 1 }

// Defs implements trace.Sink.
func (r *Records) Defs() *trace.Defs { return r.defs }

// RecordsOf returns the bodies of a type, in order.
func RecordsOf[B trace.Body](r *Records) (all []B) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, each := range r.all {
		if b, ok := each.Body.(B); ok {
			all = append(all, b)
		}
	}
	return all
}
