// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemote(t *testing.T) {
	r := recorder(t, Options{})
	server := httptest.NewServer(Handler(r))
	t.Cleanup(server.Close)
	r.Add(&Log{Message: "first"})
	waitFor(t, r)
	remote := Remote{Client: server.Client(), URL: server.URL}
	assert.False(t, remote.Live())
	assert.Equal(t, all(t, untilNow{r}, 0), all(t, remote, 0), "what is there")
	assert.Equal(t, "header", kinds(all(t, remote, 2)))

	remote.Follow = true
	assert.True(t, remote.Live())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []Record
	for rec, err := range remote.Records(ctx, 0) { // each line comes when it is made: the next is only made then
		require.NoError(t, err)
		if got = append(got, rec); len(got) == 5 {
			cancel()
		} else if len(got) > 1 {
			r.Add(&Log{Message: "more"})
		}
	}
	assert.Equal(t, "header log log log log", kinds(got))

	var last error
	for rec, err := range remote.Records(t.Context(), 0) {
		if last = err; rec.Seq == 5 {
			require.NoError(t, r.Close())
		}
	}
	assert.ErrorContains(t, last, server.URL, "the end of a recording that goes on is an error")
}

// untilNow is a recorder that is not followed.
type untilNow struct{ *Recorder }

func (r untilNow) Records(ctx context.Context, after int64) iter.Seq2[Record, error] {
	return r.held(ctx, after, false, func() {})
}

func TestRemoteThatRefuses(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for _, err := range (Remote{Client: server.Client(), URL: server.URL}).Records(t.Context(), 0) {
		require.ErrorIs(t, err, ErrNotRecorded)
	}
	w := httptest.NewRecorder()
	Handler(recorder(t, Options{})).ServeHTTP(w, httptest.NewRequest(http.MethodGet, Path+"?after=x", nil))
	assert.Equal(t, http.StatusBadRequest, w.Code)
	w = httptest.NewRecorder()
	Handler(recorder(t, Options{})).ServeHTTP(w, httptest.NewRequest(http.MethodPost, Path, nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
}
