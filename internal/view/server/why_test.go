// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// answer asks once the recording was read.
func answer[T any](t *testing.T, r *recording, path string) (out T) {
	t.Helper()
	d := doorOf(t, serve(t, r).URL())
	token := map[string]string{"Authorization": "Bearer " + d.token}
	frameOf(t, d, 0, "file", int64(len(r.records)))
	_, body := d.attempt(t, "GET", path, token)
	require.NoError(t, json.Unmarshal([]byte(body), &out), body)
	return out
}

type whyAnswer struct {
	Sections []struct {
		Title string
		Items []struct {
			Text      string
			Certainty trace.Certainty
		}
	}
}

// A cause that is certain does not make a guessed writer certain.
func TestGuessedWriter(t *testing.T) {
	r := newRecording(false)
	r.after(time.Second)
	first := r.nextRV()
	r.add(&trace.Version{Object: cronTabX, Type: "ADDED", RV: first})
	r.add(&trace.Request{ID: "delete", Actor: kubectl, Began: r.t, Verb: "delete", Resource: cronTabs, Namespace: "default", Name: "x", Object: cronTabX, Code: 200})
	r.after(time.Millisecond)
	gone := r.nextRV()
	r.add(&trace.Version{Object: cronTabX, Type: "DELETED", RV: gone, Prev: first})
	seq := r.add(&trace.Reconcile{
		ID: "r", Controller: "crontab", Actor: controller, Key: "default/x", Object: cronTabX, State: "begin", Began: r.t, Source: "hook",
		Causes: []trace.Cause{{Why: "own", Object: cronTabX, RV: gone, Certainty: trace.Certain, Proof: "the queue reported it"}},
	})
	because := answer[whyAnswer](t, r, fmt.Sprintf("/data/why?seq=%d", seq)).Sections[0]
	require.Equal(t, "Because", because.Title)
	assert.Equal(t, trace.Certain, because.Items[0].Certainty)
	assert.Contains(t, because.Items[0].Text, ", likely written by kubectl")
}

// That a delivery is missing proves nothing where records were dropped.
func TestWatchLagInAGap(t *testing.T) {
	for name, want := range map[string]trace.Certainty{"whole": trace.Certain, "gap": trace.Likely} {
		t.Run(name, func(t *testing.T) {
			r := newRecording(false)
			r.after(time.Second)
			r.add(&trace.Watch{ID: "w", Actor: controller, Resource: cronTabs, State: "open"})
			r.add(&trace.Watch{ID: "w", Actor: controller, Resource: cronTabs, State: "synced"})
			first, second := r.nextRV(), r.nextRV()
			r.add(&trace.Version{Object: cronTabX, Type: "ADDED", RV: first})
			r.add(&trace.Version{Object: cronTabX, Type: "MODIFIED", RV: second, Prev: first})
			r.after(10 * time.Millisecond)
			if name == "gap" {
				r.add(&trace.Gap{From: r.t - 5e6, To: r.t - 1e6, Dropped: map[trace.Kind]int64{trace.KindEvent: 1}, Why: "intake was full"})
			}
			seq := r.add(&trace.Request{
				ID: "put", Actor: controller, Began: r.t - 1e6, Verb: "update", Resource: cronTabs, Namespace: "default", Name: "x", Object: cronTabX,
				Code: 409, Reason: "Conflict", RVIn: first,
			})
			var lag trace.Certainty
			for _, s := range answer[whyAnswer](t, r, fmt.Sprintf("/data/why?seq=%d", seq)).Sections {
				for _, i := range s.Items {
					if i.Text == "its watch did not have a newer version yet: watch lag" {
						lag = i.Certainty
					}
				}
			}
			assert.Equal(t, want, lag)
		})
	}
}

// Frames have the newest saves, and what the compiler printed for the last one only.
func TestSavesOfFrames(t *testing.T) {
	r := newRecording(true)
	for range 250 {
		r.after(time.Millisecond)
		r.add(&trace.Save{Build: 7, Steps: []trace.Step{{Name: "build", Message: "undefined: x"}}})
	}
	r.add(&trace.Request{ID: "a", Actor: controller, Began: r.t, Verb: "get", Resource: cronTabs, Code: 401})
	r.add(&trace.Request{ID: "b", Actor: controller, Began: r.t, Verb: "get", Resource: cronTabs, Code: 403})
	f := frameOf(t, doorOf(t, serve(t, r, live).URL()), 0, "live", int64(len(r.records)))
	require.Len(t, f.Saves, 200)
	assert.Equal(t, 250, f.Saved)
	assert.Empty(t, f.Saves[198].Why)
	assert.Equal(t, "build: undefined: x", f.Saves[199].Why)
	assert.Equal(t, 1, f.Rates.Denied, "401 is another thing")
}
