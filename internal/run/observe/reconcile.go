// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
)

// maxReconciles bounds how many reconciles without an end are remembered. Each worker has one; others were cut off.
const maxReconciles = 10_000

// reconciles makes records of reconciles out of lines of controller-runtime, which has most of them at verbosity 5.
type reconciles struct {
	began  map[string]int64 // by the ID of the reconcile
	panics map[string]bool
}

func newReconciles() *reconciles {
	return &reconciles{began: map[string]int64{}, panics: map[string]bool{}}
}

const requeueing = "Reconcile done, requeueing"

// record returns the record that a line of a certain time makes, or nil.
func (r *reconciles) record(l line, at int64) *trace.Reconcile {
	id := l.text("reconcileID")
	if id == "" || l.text("controller") == "" {
		return nil
	}
	record := &trace.Reconcile{ID: id, Controller: l.text("controller"), Key: l.key(), Of: l.kind(), State: "end", Source: "log"}
	switch {
	case l.message == "Reconciling" && l.level == "debug":
		if len(r.began) >= maxReconciles {
			clear(r.began)
			clear(r.panics)
		}
		r.began[id] = at
		record.State, record.Began = "begin", at
		return record
	case strings.HasPrefix(l.message, "Observed a panic"): // and "in reconciler: …" where that does not recover
		r.panics[id] = true
		return nil
	case l.message == "Reconciler error" && l.level == "error":
		record.Result, record.Err = "error", cmp.Or(l.text("error"), l.text("err")) // as zap, or as klog and slog have it
		if r.panics[id] {
			record.Result = "panic"
		}
	case l.message == "Reconcile successful" && l.level == "debug":
		record.Result = "ok"
	case strings.HasPrefix(l.message, requeueing) && l.level == "debug":
		record.Result = "requeue"
		if after, err := time.ParseDuration(strings.TrimPrefix(l.message, requeueing+" after ")); err == nil {
			record.After = int64(after)
		}
	default:
		return nil
	}
	record.Began = r.began[id]
	delete(r.began, id)
	delete(r.panics, id)
	return record
}
