// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/finding"
	"github.com/crdctl/crdctl/internal/view/model"
)

// frame is what the page always shows. It has sums and findings; rows are asked for.
type frame struct {
	Seq      int64           `json:"seq"`
	Change   int64           `json:"change"` // grows with all that frames show, records or not
	Run      string          `json:"run"`
	State    state           `json:"state"`
	Trouble  string          `json:"trouble,omitempty"`
	File     string          `json:"file,omitempty"`
	Header   *trace.Header   `json:"header,omitempty"`
	Now      int64           `json:"now"`     // T of the newest record
	First    int64           `json:"first"`   // T of the oldest record that is held
	Records  int             `json:"records"` // that are held
	Dropped  int64           `json:"dropped,omitempty"`
	Unknown  int64           `json:"unknown,omitempty"`
	Skipped  int64           `json:"skipped,omitempty"` // frames since the one before that the browser was too slow for
	Rates    rates           `json:"rates"`
	Findings []trace.Finding `json:"findings"`
	Resolved int             `json:"resolved"`
	Gaps     []gap           `json:"gaps,omitempty"`
	Saves    []saved         `json:"saves,omitempty"` // the newest
	Saved    int             `json:"saved"`           // all
	Strip    strip           `json:"strip"`
	Last     *lastRow        `json:"last,omitempty"` // reconcile
	Visible  bool            `json:"visible"`        // reconciles that send nothing are recorded
	Runtime  bool            `json:"runtime"`        // the controller is of controller-runtime
	Own      string          `json:"own,omitempty"`  // the project's controller
	Build    int             `json:"build,omitempty"`
	Kinds    []kindCount     `json:"kinds,omitempty"`
	Compare  []compared      `json:"compare,omitempty"` // before and after the newest save that succeeded

	Counted int64       `json:"counted,omitempty"` // reconciles, as metrics have it
	Before  *beforeMark `json:"before,omitempty"`  // the session before can be saved

	Undetermined []finding.Undetermined `json:"undetermined,omitempty"`
}

type beforeMark struct {
	Records int `json:"records"`
}

// rates are of the last seconds.
type rates struct {
	Records    float64 `json:"records"`    // a second
	Reconciles float64 `json:"reconciles"` // a second
	P50        int64   `json:"p50"`        // of reconciles, or of requests where no reconcile is recorded; of all in a file
	P99        int64   `json:"p99"`
	Depth      int     `json:"depth"`
	Conflicts  int32   `json:"conflicts"` // of the whole recording
	Denied     int32   `json:"denied"`
	Requests   int32   `json:"requests"`
	Total      int64   `json:"total"` // reconciles
}

// strip is the number of records by time, for the brush.
type strip struct {
	From   int64   `json:"from"`
	Step   int64   `json:"step"`
	Counts []int32 `json:"counts"`
}

type kindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

const (
	stripBars    = 240
	recent       = 5 * int64(time.Second)
	maxResolved  = 20
	maxFindings  = 200
	maxEvidence  = 20
	maxFrameGaps = 100
)

// stream writes frames as lines: at most one each s.frame, and none where nothing changed since the Change that the
// client has, except to show that the connection lives. A client that reads slowly gets fewer.
func (s *session) stream(w http.ResponseWriter, r *http.Request) {
	seen := newQuery(r.URL.Query()).number("after") // 0 is before all
	w.Header().Set("Content-Type", "application/x-ndjson")
	control := http.NewResponseController(w)
	tick := time.NewTicker(s.frame)
	defer tick.Stop()
	written, blocked := time.Now(), time.Duration(0) // blocked is how long the client did not take the last frame
	for {
		f := s.frameAfter(seen)
		line := []byte{} // an empty line only shows that the server lives
		if f != nil {
			seen = f.Change
			f.Skipped = int64(blocked / s.frame)
			var err error
			if line, err = json.Marshal(f); err != nil {
				return
			}
		}
		if f != nil || time.Since(written) > time.Second {
			_ = control.SetWriteDeadline(time.Now().Add(time.Minute))
			began := time.Now()
			if _, err := w.Write(append(line, '\n')); err != nil || control.Flush() != nil {
				return
			}
			written, blocked = time.Now(), time.Since(began)
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
	}
}

// frameAfter makes a frame, or nil if nothing changed since the one with that Change.
func (s *session) frameAfter(change int64) *frame {
	s.mu.Lock()
	defer s.mu.Unlock()
	if change == s.changes {
		return nil
	}
	return s.frameNow()
}

func (s *session) run() string {
	if h := s.model.Header(); h != nil {
		return h.Run
	}
	return ""
}

// frameNow makes a frame. s.mu is held.
func (s *session) frameNow() *frame {
	f := &frame{
		Seq: s.last, Change: s.changes, Undetermined: s.engine.Undetermined(), Run: s.run(), State: s.state, Trouble: s.trouble, File: s.file, Header: s.model.Header(), Now: s.model.Now(),
		Records: s.model.Len(), Dropped: s.dropped, Unknown: s.unknown, Findings: []trace.Finding{}, Compare: s.compare(),
		Gaps: s.gaps[max(0, len(s.gaps)-maxFrameGaps):], Saves: s.sums.recentSaves(), Saved: len(s.sums.saves), Rates: s.rates(), Strip: s.strip(), Last: s.lastReconcile(), Kinds: s.kinds(),
	}
	f.Counted = s.counted
	if s.before != nil {
		f.Before = &beforeMark{s.before.records}
	}
	if r, ok := s.model.Record(s.model.First()); ok {
		f.First = r.T
	}
	for a := range s.model.Actors() {
		if a.Who.Own() {
			f.Own, f.Build = a.Name, max(f.Build, a.Build)
		}
	}
	f.Visible = f.Own == "" || s.isReported()
	f.Runtime = s.counted > 0 || s.model.ControllerRuntime()
	for _, b := range s.engine.Findings() {
		if b.Until != 0 {
			if f.Resolved++; f.Resolved > maxResolved {
				continue
			}
		}
		if len(f.Findings) < maxFindings {
			b.Evidence = b.Evidence[:min(len(b.Evidence), maxEvidence)]
			f.Findings = append(f.Findings, b)
		}
	}
	return f
}

// isReported reports whether the controller reports each reconcile: many report only those that failed, or none. It is true until one must
// have run.
func (s *session) isReported() bool {
	return s.engine.IsRecorded(trace.ClassController) || s.engine.IsRecorded(trace.ClassBuiltin) || !s.hasReconciled()
}

// unseen is how long after a delivery its reconcile would be recorded.
const unseen = int64(5 * time.Second)

// hasReconciled reports whether the controller must have reconciled something: only then is it known whether it reports its reconciles.
func (s *session) hasReconciled() bool {
	return s.counted > 0 || len(s.model.Keys()) > 0 || s.delivered > 0 && s.model.Now()-s.delivered > unseen
}

func (s *session) rates() rates {
	now := s.now()
	from := max(0, now-recent)
	if s.state == stateFile {
		from = 0 // its last seconds are no news
	}
	last := s.sums.over(from, now+1)
	seconds := float64(max(min(now, recent), int64(time.Second))) / float64(time.Second)
	r := rates{
		Records: float64(last.Records) / seconds, Depth: s.sums.depth,
		Conflicts: s.sums.total.Conflicts, Denied: s.sums.total.Denied, Requests: s.sums.total.Requests,
	}
	var n int32
	for i, of := range last.Reconciles {
		n += of
		r.Total += int64(s.sums.total.Reconciles[i])
	}
	r.Reconciles = float64(n) / seconds
	h := &last.worked
	if r.Total == 0 || !s.isReported() {
		h = &last.request
	}
	r.P50, r.P99 = h.quantile(.5), h.quantile(.99)
	return r
}

// strip counts the records of the whole time that the sums have.
func (s *session) strip() strip {
	n := int64(len(s.sums.seconds))
	step := max(1, (n+stripBars-1)/stripBars)
	out := strip{From: s.sums.first * int64(time.Second), Step: step * int64(time.Second), Counts: []int32{}}
	for i := int64(0); i < n; i += step {
		var sum int32
		for _, of := range s.sums.seconds[i:min(i+step, n)] {
			sum += of.Records
		}
		out.Counts = append(out.Counts, sum)
	}
	return out
}

// kinds counts the objects that the project's own actors watch, or else have asked about.
func (s *session) kinds() []kindCount {
	by, interest := map[string]int{}, map[*trace.Resource]bool{}
	for r := range s.model.Resources() {
		interest[r] = s.isOfInterest(r)
	}
	for o := range s.model.Objects() {
		if !o.Deleted && interest[o.Resource()] {
			by[o.Kind()]++
		}
	}
	all := []kindCount{}
	for kind, n := range by {
		all = append(all, kindCount{kind, n})
	}
	slices.SortFunc(all, func(a, b kindCount) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind)) })
	return all[:min(len(all), 12)]
}

// isOfInterest reports whether a resource is one that the project's own actors watch.
func (s *session) isOfInterest(r *trace.Resource) bool {
	for a := range s.model.Actors() {
		if a.Who.Own() && s.model.IsWatching(a.Who, model.GroupResource(r)) {
			return true
		}
	}
	return false
}

// lastRow is the newest reconcile that ended, as a waterfall.
type lastRow struct {
	Seq       int64           `json:"seq"`
	Key       string          `json:"key"`
	Began     int64           `json:"began"`
	Took      int64           `json:"took"`
	Waited    int64           `json:"waited"`
	Result    string          `json:"result"`
	Err       string          `json:"err,omitempty"`
	Requests  []requestRow    `json:"requests"`
	Certainty trace.Certainty `json:"certainty"`
	Written   int             `json:"written"`
	Reasons   []string        `json:"reasons,omitempty"` // why nothing was written
}

// endOf is the end of a reconcile.
type endOf struct {
	id string
	t  int64
}

// late is how long after its end a reconcile's requests may be recorded: they come from another place.
const late = int64(time.Second)

// settleLast lets go of the reconciles before the last one of which all is recorded.
func (s *session) settleLast(now int64) {
	for len(s.ending) > 0 && (s.ending[0].t <= now-late || s.state != stateLive) {
		s.lastEnd, s.ending = s.ending[0].id, s.ending[1:]
	}
}

func (s *session) lastReconcile() *lastRow {
	s.settleLast(s.now())
	last := s.model.Reconcile(s.lastEnd)
	if last == nil {
		return nil
	}
	sent, link := s.model.SentIn(last)
	row := &lastRow{
		Seq: last.EndSeq, Key: last.Key, Began: last.Began, Took: last.Took(), Waited: last.Waited, Result: last.Result, Err: last.Err,
		Requests: []requestRow{}, Certainty: link.Certainty,
	}
	if last.NoBegin {
		row.Took = -1
	}
	if last.Object != nil {
		row.Key = last.Object.String()
	}
	for i, r := range sent {
		if r.Writes() && r.OK() && !r.NoOp {
			row.Written++
		}
		if i < 40 {
			row.Requests = append(row.Requests, requestRowOf(r))
		}
	}
	for i, d := range s.model.Decisions(last.ID) {
		if i < 10 && d.Action == "none" {
			row.Reasons = append(row.Reasons, fmt.Sprintf("%s: %s", d.Child, d.Why))
		}
	}
	return row
}
