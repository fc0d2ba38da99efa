// SPDX-License-Identifier: Apache-2.0

package model

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// The guesses, measured: recordings in which a hook or the built-in loop says which reconcile sent which request, and
// what caused it, are read again as if it said nothing, and as if there were lines about reconciles only. docs/view.md
// has the rates; a guess that gets worse fails here.
func TestGuesses(t *testing.T) {
	files, err := filepath.Glob("testdata/guesses/*.gz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		truth := recording(t, file)
		bare, lines := guessBare(t, truth), guessLines(t, truth)
		t.Logf("%s: %s", filepath.Base(file), bare)
		t.Logf("%s: %s", filepath.Base(file), lines)
		assert.Greater(t, bare.requests.n+lines.requests.n, 0, file)
		for _, r := range []rate{bare.requests, bare.whole, lines.requests, lines.whole, lines.causes} {
			assert.GreaterOrEqual(t, r.percent(), 75, file)
		}
		assert.GreaterOrEqual(t, lines.extra.percent(), 50, file)
	}
}

func recording(t *testing.T, file string) (all []trace.Record) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	r, err := gzip.NewReader(f)
	require.NoError(t, err)
	data, err := io.ReadAll(r)
	require.NoError(t, err)
	for line := range bytes.Lines(data) {
		record, err := trace.Parse(bytes.TrimSpace(line))
		require.NoError(t, err)
		all = append(all, record)
	}
	return all
}

// rate is how often a guess is right.
type rate struct{ hits, n int }

func (r *rate) add(hit bool) {
	if r.n++; hit {
		r.hits++
	}
}

func (r rate) percent() int {
	if r.n == 0 {
		return 100
	}
	return r.hits * 100 / r.n
}

func (r rate) String() string { return fmt.Sprintf("%d %% (%d of %d)", r.percent(), r.hits, r.n) }

type guesses struct {
	source   string
	requests rate // that are in a reconcile of the right key, or in the right reconcile where these are known
	whole    rate // reconciles whose requests are exactly those that were sent
	causes   rate // recorded causes with a version that are among the guessed ones
	extra    rate // guessed causes that are among the recorded ones
}

func (g guesses) String() string {
	s := fmt.Sprintf("%s: request to reconcile %s, reconciles with exactly their requests %s", g.source, g.requests, g.whole)
	if g.causes.n > 0 {
		s += fmt.Sprintf(", causes found %s, guessed causes that are right %s", g.causes, g.extra)
	}
	return s
}

// anonymous takes the reconcile's ID out of an audit ID.
func anonymous(id string) string { return strings.ReplaceAll(id, ".", "_") }

// without copies what a recording has without a hook. Reconciles are given to keep, which may return nil.
func without(truth []trace.Record, keep func(trace.Reconcile) *trace.Reconcile) *Model {
	m := New()
	for _, r := range truth {
		switch b := r.Body.(type) {
		case *trace.Queue, *trace.Decision, *trace.Hook:
			continue
		case *trace.Request:
			c := *b
			c.ID = anonymous(c.ID)
			r.Body = &c
		case *trace.Version:
			c := *b
			c.By = anonymous(c.By)
			r.Body = &c
		case *trace.Reconcile:
			kept := keep(*b)
			if kept == nil {
				continue
			}
			r.Body = kept
		}
		m.Add(r)
	}
	m.End()
	return m
}

// sent are the requests about objects that a reconcile is known to have sent, by reconcile.
func sent(m *Model) map[string][]*Request {
	all := map[string][]*Request{}
	for _, r := range m.Requests() {
		if rec, l := m.ReconcileOf(r); rec != nil && l.Certainty == trace.Certain && r.Object != nil {
			all[rec.ID] = append(all[rec.ID], r)
		}
	}
	return all
}

func full(truth []trace.Record) *Model {
	m := New()
	for _, r := range truth {
		m.Add(r)
	}
	return m
}

// of reports whether all requests were sent in a reconcile.
func of(id string, requests []*Request) bool {
	return !slices.ContainsFunc(requests, func(r *Request) bool { return !strings.HasPrefix(r.ID, id+"_") })
}

// guessBare puts requests together by time and key.
func guessBare(t *testing.T, truth []trace.Record) guesses {
	g := guesses{source: "requests only"}
	known, bare := full(truth), without(truth, func(trace.Reconcile) *trace.Reconcile { return nil })
	for id, requests := range sent(known) {
		together := map[*Reconcile]int{}
		for _, r := range requests {
			b := bare.Request(anonymous(r.ID))
			require.NotNil(t, b)
			rec, _ := bare.ReconcileOf(b)
			g.requests.add(rec != nil && rec.Key == known.Reconcile(id).Key)
			together[rec]++
		}
		whole := len(together) == 1
		for rec := range together {
			whole = whole && rec != nil && of(id, rec.requests)
		}
		g.whole.add(whole)
	}
	return g
}

// guessLines has begin, end and key of reconciles, as lines with a reconcileID have.
func guessLines(t *testing.T, truth []trace.Record) guesses {
	g := guesses{source: "lines about reconciles"}
	known := full(truth)
	var actor trace.ActorID // that the records of the built-in loop do not name
	for _, requests := range sent(known) {
		actor = requests[0].Actor.ID
	}
	lines := without(truth, func(r trace.Reconcile) *trace.Reconcile {
		r.Actor, r.Source, r.Causes, r.Waited, r.More, r.Depth = actor, "log", nil, 0, 0, 0
		return &r
	})
	for id, requests := range sent(known) {
		right := 0
		for _, r := range requests {
			rec, _ := lines.ReconcileOf(lines.Request(anonymous(r.ID)))
			g.requests.add(rec != nil && rec.ID == id)
			if rec != nil && rec.ID == id {
				right++
			}
		}
		guessed, _ := lines.SentIn(lines.Reconcile(id))
		g.whole.add(right == len(requests) && of(id, guessed))
	}
	for _, k := range known.Keys() {
		for _, rec := range known.Reconciles(k) {
			recorded, guessed := map[trace.Cause]bool{}, map[trace.Cause]bool{}
			for _, c := range rec.Causes {
				if c.RV != 0 || c.Why == "retry" || c.Why == "timer" {
					recorded[sameCause(c)] = true
				}
			}
			for _, c := range lines.Causes(lines.Reconcile(rec.ID)) {
				guessed[sameCause(c.Cause)] = true
			}
			for c := range recorded {
				g.causes.add(guessed[c])
			}
			for c := range guessed {
				g.extra.add(recorded[c])
			}
		}
	}
	return g
}

// sameCause is what a recorded and a guessed cause have in common if they are the same: the delivery, or why there is none.
func sameCause(c trace.Cause) trace.Cause {
	if c.RV == 0 {
		return trace.Cause{Why: c.Why}
	}
	return trace.Cause{Object: c.Object, RV: c.RV}
}
