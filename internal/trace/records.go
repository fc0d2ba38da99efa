// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"context"
	"iter"
)

// Live implements Source.
func (r *Recorder) Live() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.closed
}

// Records implements Source. A reader that is so slow that records went before it came to them gets a Gap. What had gone
// before the first record that a reader gets is not a loss: it came later.
func (r *Recorder) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return r.held(ctx, after, true, func() {})
}

// held implements idle.
func (r *Recorder) held(ctx context.Context, after int64, follow bool, wait func()) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, l := range r.ring.first(after) {
			if rec, err := l.record(); !yield(rec, err) || err != nil {
				return
			}
		}
		at := max(after, 1) // the header is 1
		var t int64         // of the last record
		began := after > 1  // with other records than definitions, which stay when those between them go
		for {
			lines, more, closed := r.ring.next(at)
			for _, l := range lines {
				rec, err := l.record()
				if err != nil {
					yield(Record{}, err)
					return
				}
				if lost := l.seq - at - 1; lost > 0 && began && !yield(gapBefore(rec, t, lost), nil) {
					return
				}
				if !yield(rec, nil) {
					return
				}
				_, def := rec.Body.(*Def)
				at, t, began = rec.Seq, rec.T, began || !def
			}
			switch {
			case len(lines) > 0:
			case closed || !follow:
				return
			default:
				wait()
				select {
				case <-more:
				case <-ctx.Done():
					return
				}
			}
			if ctx.Err() != nil {
				return
			}
		}
	}
}

// gapBefore is the record of a gap of lost records before rec. It has the place of the last of them.
func gapBefore(rec Record, from, lost int64) Record {
	return Record{Seq: rec.Seq - 1, T: rec.T, Body: &Gap{
		From: from, To: rec.T, Dropped: map[Kind]int64{KindAny: lost}, Why: "records are no longer in memory",
	}}
}
