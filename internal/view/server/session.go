// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/finding"
	"github.com/crdctl/crdctl/internal/view/model"
)

// session is what is known of the recording: the model and the sums. All of it is guarded by mu.
type session struct {
	file       string
	maxRecords int
	frame      time.Duration
	saving     sync.WaitGroup // sessions that ended, by feed

	mu         sync.Mutex
	model      *model.Model
	sums       *sums
	engine     *finding.Engine
	last       int64 // Seq of the newest record
	state      state
	trouble    string         // why state is lost
	dropped    int64          // records that are no longer held, because of maxRecords
	unknown    int64          // records that this version does not know
	unread     []trace.Record // the newest of them, with Raw, to be saved
	gaps       []gap
	lastEnd    string  // ID of the reconcile that ended last, of those of which all is recorded
	ending     []endOf // those that ended after it
	granted    *trace.Rights
	grantedSeq int64     // of its record
	arrived    time.Time // when the newest record was added

	kubeEvents map[trace.ObjectID][]kubeEvent
	changes    int64            // of anything that frames show; from 1 on, so that 0 is before all
	before     *before          // the session before this one
	counted    int64            // reconciles, as the controller's metrics have it
	firstAsked map[string]int64 // T of the first request of each kind by the project's own actors
	delivered  int64            // T of the first object that a watch delivered to one of them; 0 before that
	scans      scans
	epoch      int64 // grows when records are forgotten
}

// state is how the session and its source are connected.
type state string

const (
	stateOpening state = "opening" // nothing was read so far
	stateLive    state = "live"
	stateFile    state = "file" // read to its end
	stateLost    state = "lost" // trying again
)

// maxUnread bounds the records that are held although this version does not know what they are.
const maxUnread = 10_000

// maxHeldBytes bounds the lines of the records that are held. Without large objects they are a quarter of it at most.
const maxHeldBytes = 256 << 20

// maxGaps bounds the gaps that are held. Those that are older are in the sums.
const maxGaps = 1000

type gap struct {
	From, To int64
	Dropped  map[trace.Kind]int64
	Why      string
}

func newSession(o Options) *session {
	s := &session{file: o.File, maxRecords: o.MaxRecords, frame: o.Frame, state: stateOpening, changes: 1}
	s.reset()
	return s
}

// reset forgets everything, for a new run. s.mu is held, or s is not shared yet.
func (s *session) reset() {
	s.model, s.sums, s.engine = model.New(), &sums{}, finding.New()
	s.epoch++
	s.scans, s.counted, s.firstAsked, s.delivered, s.unread = nil, 0, map[string]int64{}, 0, nil
	s.last, s.dropped, s.unknown, s.gaps, s.granted, s.kubeEvents = 0, 0, 0, nil, nil, map[trace.ObjectID][]kubeEvent{}
	s.lastEnd, s.ending = "", nil
}

// retry is how long a source that was lost is left alone.
const retry = time.Second

// feed reads the source until ctx ends. A source that is lost is tried again; a file is read once.
func (s *session) feed(ctx context.Context, source trace.Source) {
	defer s.saving.Wait()
	go func() {
		for tick := time.NewTicker(retry); ; {
			select {
			case <-tick.C:
				s.tick()
			case <-ctx.Done():
				tick.Stop()
				return
			}
		}
	}()
	for ctx.Err() == nil {
		s.mu.Lock()
		after := s.last
		s.mu.Unlock()
		var failed error
		for r, err := range source.Records(ctx, after) {
			if err != nil {
				failed = err
				break
			}
			if s.add(ctx, r, source.Live()) {
				break // another run: from its start
			}
		}
		if ctx.Err() != nil {
			return
		}
		if s.ended(source.Live(), failed) {
			return
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
		}
	}
}

// ended notes how the source's sequence ended, and reports whether that was its end.
func (s *session) ended(live bool, failed error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	if !live {
		s.state = stateFile
		s.engine.End()
		if failed != nil {
			s.trouble = failed.Error()
		}
		return true
	}
	s.state = stateLost
	if s.trouble = "the recording ended"; failed != nil {
		s.trouble = failed.Error()
	}
	return false
}

// holdUnread holds a record that the model does not, and drops the oldest ones beyond maxUnread. s.mu is held.
func (s *session) holdUnread(r trace.Record) {
	if len(s.unread) == maxUnread {
		s.unread = s.unread[maxUnread/10:]
	}
	s.unread = append(s.unread, r)
}

// add takes a record, and reports whether it shows that another run has begun, whose records must be read from their
// start.
func (s *session) add(ctx context.Context, r trace.Record, live bool) (other bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	if live {
		s.state, s.trouble = stateLive, ""
	}
	if h, ok := r.Body.(*trace.Header); ok {
		if was := s.model.Header(); was != nil && was.Run != h.Run {
			other = s.last > 0
			s.keep(ctx)
			s.reset()
			if other {
				return true
			}
		}
	}
	switch b := r.Body.(type) {
	case *trace.Gap:
		if len(s.gaps) == maxGaps {
			s.gaps = s.gaps[1:]
		}
		s.gaps = append(s.gaps, gap{From: b.From, To: b.To, Dropped: b.Dropped, Why: b.Why})
		if r.Seq == 0 { // no number is free; the model does not hold it
			s.holdUnread(r)
		}
	case *trace.Unknown:
		if r.Seq > s.last {
			s.unknown++
			s.holdUnread(r)
		}
	case *trace.Reconcile:
		if b.State == "end" {
			s.ending = append(s.ending, endOf{b.ID, r.T})
		}
	case *trace.Rights:
		s.granted, s.grantedSeq = b, r.Seq
	case *trace.KubeEvent:
		s.addKubeEvent(r, b)
	case *trace.Metrics:
		s.addMetrics(b)
	case *trace.Request:
		s.noteKind(r, b)
	case *trace.Event:
		if s.delivered == 0 && s.model.Actor(b.Actor).Who.Own() {
			s.delivered = r.T
		}
	}
	if _, def := r.Body.(*trace.Def); !def {
		if r.Seq <= s.last && r.Seq != 0 {
			return false // as after a reconnect
		}
		s.sums.add(r, s.isOwn(r))
	}
	s.last = max(s.last, r.Seq)
	s.model.Add(r)
	s.engine.Add(r)
	s.arrived = time.Now()
	s.settleLast(r.T)
	if n := s.model.Len(); n > s.maxRecords || n > 1 && s.model.Bytes() > maxHeldBytes {
		// In steps: to forget costs more than to add.
		s.model.Forget(s.model.At(n/10 + 1).Seq)
		s.epoch++
		s.scans = nil // they hold what is forgotten
		s.dropped += int64(n - s.model.Len())
	}
	return false
}

// tick tells the engine the time, so that findings are resolved while nothing is recorded.
func (s *session) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != stateLive {
		return
	}
	s.engine.Tick(s.now())
	if len(s.engine.Changes()) > 0 || s.now()-s.model.Now() < recent+2*int64(retry) { // until the rates are those of a time without records
		s.changes++
	}
}

// now is T of the newest record, and while the source is read the time that went by since. s.mu is held.
func (s *session) now() int64 {
	if s.state != stateLive {
		return s.model.Now()
	}
	return s.model.Now() + int64(time.Since(s.arrived))
}

// isOwn reports whether a record is a request of the project's own actors.
func (s *session) isOwn(r trace.Record) bool {
	b, ok := r.Body.(*trace.Request)
	return ok && s.model.Actor(b.Actor).Who.Own()
}

// addMetrics takes the number of reconciles, which is all there is where the controller prints no lines about them.
func (s *session) addMetrics(b *trace.Metrics) {
	var n float64
	for name, v := range b.Samples {
		if name, _, _ = strings.Cut(name, "{"); name == "controller_runtime_reconcile_total" {
			n += v
		}
	}
	if n > 0 {
		s.counted = int64(n)
	}
}

// maxKinds bounds the kinds of requests that are noted.
const maxKinds = 1000

// noteKind notes when the controller sent a kind of request for the first time.
func (s *session) noteKind(r trace.Record, b *trace.Request) {
	if len(s.firstAsked) >= maxKinds || b.Resource == 0 || !s.isOwn(r) {
		return
	}
	kind := b.Verb + " " + model.GroupResource(s.model.Resource(b.Resource))
	if b.Subresource != "" {
		kind += "/" + b.Subresource
	}
	if _, known := s.firstAsked[kind]; !known {
		s.firstAsked[kind] = r.T
	}
}

// maxKubeEvents bounds the events that are held of an object, and the objects whose events are held.
const maxKubeEvents = 100

func (s *session) addKubeEvent(r trace.Record, b *trace.KubeEvent) {
	all := s.kubeEvents[b.Object]
	if all == nil && len(s.kubeEvents) >= 100*maxKubeEvents {
		return
	}
	all = append(all, kubeEvent{Seq: r.Seq, T: r.T, Type: b.Type, Reason: b.Reason, Message: b.Message, Count: b.Count})
	s.kubeEvents[b.Object] = all[max(0, len(all)-maxKubeEvents):]
}
