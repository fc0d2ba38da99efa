// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/view/finding"
)

const (
	// noteEvery is how often findings that are new are reported. Meanwhile what they say becomes better.
	noteEvery = 500 * time.Millisecond
	// mostNotes is how many are printed at once.
	mostNotes = 5
	// againAfter is when a finding that comes back is reported again. A build that brings it back has it reported at once.
	againAfter = time.Minute
)

// notes reports findings of a run while it goes on: each once, and once more when it is resolved.
type notes struct {
	recorder *trace.Recorder
	reporter ui.Reporter
	see      string // what shows more

	mu     sync.Mutex
	engine *finding.Engine
	said   map[string]note // by the ID of the finding
}

// note is what was reported of a finding.
type note struct {
	build int
	at    int64
	open  bool // that it was resolved was not reported
}

func newNotes(recorder *trace.Recorder, reporter ui.Reporter, see string) *notes {
	return &notes{recorder: recorder, reporter: reporter, see: see, engine: finding.New(), said: map[string]note{}}
}

// follow reads what is recorded until the context ends.
func (n *notes) follow(ctx context.Context) {
	var ticking sync.WaitGroup
	defer ticking.Wait()
	ticking.Go(func() {
		tick := time.NewTicker(noteEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				n.news(n.recorder.Now())
			}
		}
	})
	for r, err := range n.recorder.Records(ctx, 0) {
		if err != nil {
			return
		}
		n.mu.Lock()
		n.engine.Add(r)
		n.mu.Unlock()
	}
}

// news records what changed about findings, and reports what is new about that.
func (n *notes) news(now int64) {
	n.mu.Lock()
	n.engine.Tick(now)
	changes := n.engine.Changes()
	n.mu.Unlock()
	shown, more := 0, 0
	for _, f := range changes {
		n.recorder.Add(&f)
		line := n.line(f, now)
		switch {
		case line == "":
		case shown == mostNotes:
			more++
		default:
			shown++
			n.reporter.Note("%s", line)
		}
	}
	if more > 0 {
		n.reporter.Note("finding: and %d more; see %s", more, n.see)
	}
}

// line is what is reported of a finding; nothing for what was reported before.
func (n *notes) line(f trace.Finding, now int64) string {
	if f.Type == "permission-unused" {
		return "" // the end of the run has the list
	}
	was, known := n.said[f.ID]
	switch {
	case f.Until != 0 && was.open:
		was.open = false
		n.said[f.ID] = was
		return fmt.Sprintf("finding: %s [%s]", text.Printable(f.Message), f.Type)
	case f.Until != 0, known && was.build == f.Build && now-was.at < int64(againAfter):
		return ""
	}
	n.said[f.ID] = note{build: f.Build, at: now, open: true}
	return fmt.Sprintf("finding: %s [%s, %s]; see %s", text.Printable(f.Message), f.Type, f.Certainty, n.see)
}
