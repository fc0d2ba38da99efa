// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/diff"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// A request that ended an object counts as the one that had marked it as being deleted just before, and is recorded as a guess; so is
// which of two requests ended an object.
func TestWhatIsOnlyLikelyIsMarked(t *testing.T) {
	s := &kept{}
	v := newVersions(Options{Sink: s, Redact: redact.New(redact.Options{})})
	marked, err := decodeJSON([]byte(`{"metadata":{"uid":"u","resourceVersion":"10","deletionTimestamp":"2026-11-23T00:00:00Z"}}`))
	require.NoError(t, err)
	v.see(&version{uid: "u", rv: 10, t: 100, typ: modified, object: marked})
	v.see(&version{uid: "u", rv: 11, t: 110, typ: deleted, by: "one", began: 90})
	v.deleting("two", "a", 200)
	v.deleting("two", "a", 201)
	v.see(&version{uid: "two", rv: 12, t: 210, typ: deleted})
	v.deleting("three", "a", 300)
	v.deleting("three", "b", 301)
	v.see(&version{uid: "three", rv: 13, t: 310, typ: deleted})
	v.settle(int64(settleAlone)*2, false)
	got := map[uint64]trace.Version{}
	for _, b := range s.bodies {
		version := b.(*trace.Version)
		got[version.RV] = trace.Version{By: version.By, Guessed: version.Guessed}
	}
	assert.Equal(t, map[uint64]trace.Version{10: {By: "one", Guessed: true}, 11: {By: "one"}, 12: {By: "a"}, 13: {By: "b", Guessed: true}}, got)
}

// Names of objects that are used stay known, however many others there are.
func TestNamesAreForgottenInTurns(t *testing.T) {
	var n names
	used := name{name: "used"}
	for i := range 5 * heldObjects {
		if i%(heldObjects/2) == 0 {
			n.set(used, 1)
		}
		n.set(name{namespace: string(rune(i % 50000)), name: string(rune(i / 50000))}, 2)
	}
	assert.Equal(t, trace.ObjectID(1), n.get(used))
	assert.LessOrEqual(t, len(n.recent)+len(n.before), 2*heldObjects)
	n.remove(used)
	assert.Zero(t, n.get(used))
}

// Without bodies, annotations that have a copy of the object are left out of changes like its spec.
func TestChangesWithoutBodiesHaveNoCopies(t *testing.T) {
	copied := map[string]any{"annotations": map[string]any{lastApplied: `{"spec":1}`, "a": "b"}}
	for _, first := range []map[string]any{{}, {"annotations": map[string]any{}}, {"annotations": map[string]any{lastApplied: `{"spec":2}`}}} {
		changes := allowed(trace.BodiesNone, append(
			diff.Changes(map[string]any{"metadata": first}, map[string]any{"metadata": copied}),
			diff.Drift(map[string]any{"metadata": first}, map[string]any{"metadata": copied}, "")...,
		))
		text, err := json.Marshal(changes)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "spec")
		assert.Contains(t, string(text), lastApplied, "that it changed is recorded")
		assert.Contains(t, string(text), `"b"`)
	}
}

// The first version of an object has all of it, and the others what changed.
func TestVersionsHaveWhatChanged(t *testing.T) {
	s := &kept{}
	v := newVersions(Options{Sink: s, Redact: redact.New(redact.Options{}), Bodies: trace.BodiesAll})
	for round := range 3 {
		o, err := decodeJSON(widget(1, round+1))
		require.NoError(t, err)
		v.see(&version{uid: o.Metadata.UID, rv: o.rv(), by: "x", object: o})
		v.settle(0, true)
	}
	require.Len(t, s.bodies, 3)
	for _, b := range s.bodies {
		got := b.(*trace.Version)
		assert.EqualValues(t, 1, got.Generation)
		if got.RV == 1 {
			assert.NotContains(t, string(got.Full), "managedFields")
			assert.Contains(t, string(got.Full), `"replicas":1`)
			continue
		}
		assert.Equal(t, got.RV-1, got.Prev)
		assert.Equal(t, []trace.Change{{Path: "spec.replicas", Old: fmt.Append(nil, got.RV-1), New: fmt.Append(nil, got.RV)}}, got.Changes)
	}
}

// kept is a sink that keeps bodies.
type kept struct {
	trace.Sink

	bodies []trace.Body
	now    int64
}

// AddAt implements trace.Sink.
func (k *kept) AddAt(_ int64, b trace.Body) { k.bodies = append(k.bodies, b) }
