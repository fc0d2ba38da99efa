// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
)

// A finding is reported once, and again when it is resolved. It is news again with a new build, and after a while.
func TestNotes(t *testing.T) {
	n := newNotes(nil, ui.Reporter{}, `"crdctl view x --findings"`)
	f := trace.Finding{ID: "hot-loop: CronTab default/x", Type: "hot-loop", Message: "hot loop: CronTab default/x", Certainty: trace.Certain, Build: 1}
	resolved := f
	resolved.Until, resolved.Message = 5, "hot loop: CronTab default/x; resolved by build 2"
	second := int64(time.Second)
	const said, over = `finding: hot loop: CronTab default/x [hot-loop, certain]; see "crdctl view x --findings"`, "finding: hot loop: CronTab default/x; resolved by build 2 [hot-loop]"
	for _, step := range []struct {
		why  string
		f    trace.Finding
		at   int64
		want string
	}{
		{"it came and went at once", resolved, 0, ""},
		{"it is new", f, second, said},
		{"it is known", f, 2 * second, ""},
		{"it is resolved", resolved, 3 * second, over},
		{"it is back at once", f, 4 * second, ""},
		{"and gone again", resolved, 5 * second, ""},
		{"it is back after a while", f, 70 * second, said},
		{"it is resolved again", resolved, 71 * second, over},
	} {
		assert.Equal(t, step.want, n.line(step.f, step.at), step.why)
	}
	f.Build = 3
	assert.Equal(t, said, n.line(f, 72*second), "a new build brings it back")
	f.ID, f.Message = "other", "x\x1b[2J\ny"
	assert.Contains(t, n.line(f, 0), `finding: x\u001b[2J y [`, "a terminal does not obey what was recorded")
}

// What is recorded of a controller that loops makes a note, and a record.
func TestNotesOfARecording(t *testing.T) {
	recorder, err := trace.New(trace.Options{})
	require.NoError(t, err)
	defs := recorder.Defs()
	actor := defs.Actor(trace.Actor{Name: "crontab", Class: trace.ClassController})
	resource := defs.Resource(trace.Resource{Group: "stable.example.com", Version: "v1", Resource: "crontabs", Kind: "CronTab", Namespaced: true})
	for i, name := range []string{"a", "b", "c", "d", "e", "f", "g"} { // each is refused a list, twice
		for _, id := range []string{name, name + "again"} {
			recorder.Add(&trace.Request{ID: id, Actor: actor, Verb: "list", Resource: resource, Namespace: name, Code: 403, Began: int64(i)})
		}
	}
	var said bytes.Buffer
	n := newNotes(recorder, ui.NewReporter(&said), `"crdctl view --findings"`)
	require.NoError(t, recorder.Close())
	for r, err := range recorder.Records(t.Context(), 0) {
		require.NoError(t, err)
		n.engine.Add(r)
	}
	n.news(recorder.Now() + int64(time.Second))
	assert.Regexp(t, `^(crdctl: finding: crontabs.* never synced: 403.* \[watch-denied, certain\]; see "crdctl view --findings"\n){5}crdctl: finding: and 2 more; see "crdctl view --findings"\n$`, said.String())
	said.Reset()
	n.news(recorder.Now() + int64(2*time.Second))
	assert.Empty(t, said.String())
}
