// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shownFrame is of a frame what tests compare.
type shownFrame struct {
	Seq, Change int64
	State       string
	Saved       int
	Saves       []struct{ Why string }
	Rates       struct{ Denied int }
}

// frameOf returns the first frame after a change that has a state and a record.
func frameOf(t *testing.T, d door, after int64, state string, seq int64) (f shownFrame) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/data/stream?after=%d", d.base, after), nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+d.token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	for frames := json.NewDecoder(answer.Body); f.State != state || f.Seq < seq; {
		f = shownFrame{}
		require.NoError(t, frames.Decode(&f))
	}
	return f
}

// A tab whose connection broke gets what changed meanwhile, also where no record came.
func TestStreamResumes(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 3)
	d := doorOf(t, serve(t, r, live).URL())
	until := func(after int64, state string) shownFrame { return frameOf(t, d, after, state, int64(len(r.records))) }
	before := until(0, "live")
	r.fail(errors.New("connection refused"))
	lost := until(before.Change, "lost")
	r.fail(nil)
	until(0, "live")
	again := until(lost.Change, "live")
	assert.Equal(t, before.Seq, again.Seq, "no record came")
}
