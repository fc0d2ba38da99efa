// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A question that is asked again as records come and go has the answer that it has when it is asked for the first time.
func TestScansAreIncremental(t *testing.T) {
	h := newHeldSession(30_000, 12_000)
	ask := func(endpoint, params string) string {
		values, err := url.ParseQuery(params)
		require.NoError(t, err)
		body, err := h.locked(h.answers()[endpoint], newQuery(values))
		require.NoError(t, err)
		return string(body)
	}
	var answers struct {
		Total int
		Asked []struct{ N int }
	}
	for range 5 {
		for range 600 {
			h.cycle()
		}
		h.state = stateFile // no time goes by between two answers
		for _, question := range questions {
			if h.answers()[question.endpoint] == nil {
				continue
			}
			again := ask(question.endpoint, question.params)
			held := h.scans
			h.scans = nil
			assert.Equal(t, ask(question.endpoint, question.params), again, "%s?%s", question.endpoint, question.params)
			h.scans = held
		}
	}
	assert.NotZero(t, h.dropped, "nothing was forgotten")
	require.NoError(t, json.Unmarshal([]byte(ask("requests", "own=true")), &answers))
	assert.Equal(t, len(h.model.Requests()), answers.Total)
	before := answers.Total
	last := h.last
	for range 10 {
		h.cycle()
	}
	require.NoError(t, json.Unmarshal([]byte(ask("requests", fmt.Sprintf("own=true&cap=%d", last))), &answers))
	assert.Equal(t, before, answers.Total, "rows that came later are not kept out")
	require.NoError(t, json.Unmarshal([]byte(ask("rights", "")), &answers))
	assert.Equal(t, len(h.model.Requests()), answers.Asked[0].N)
}
