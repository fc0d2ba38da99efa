// SPDX-License-Identifier: Apache-2.0

package run

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/trace/redact"
)

// Only those who have the token of the run read its recording.
func TestOfferedRecordingNeedsTheToken(t *testing.T) {
	recorder, err := trace.New(trace.Options{})
	require.NoError(t, err)
	defer recorder.Close() //nolint:errcheck // it has no file
	r := &recording{Recorder: recorder, redactor: redact.New(redact.Options{})}
	served, end, err := r.offer()
	require.NoError(t, err)
	defer end()
	status := func(path, token string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, served.URL+path, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", token)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	const path = trace.Path + "?follow=false"
	assert.Equal(t, http.StatusOK, status(path, "Bearer "+served.Token))
	assert.Equal(t, http.StatusNotFound, status("/", "Bearer "+served.Token))
	for _, token := range []string{"", "Bearer ", "Bearer x" + served.Token, served.Token} {
		assert.Equal(t, http.StatusUnauthorized, status(path, token), "%q", token)
	}
}
