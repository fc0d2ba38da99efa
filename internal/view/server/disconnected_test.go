// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/server"
)

// A control plane that is gone leaves what was recorded readable; another run begins anew.
func TestControlPlaneIsGone(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 30)
	s := serve(t, r, live)
	p := open(t, s.URL())
	p.has(".finding.open", "reconciled by its own status write")
	r.fail(errors.New("connection refused"))
	p.has(".state.bad", "disconnected: as of 12:00:01, trying again")
	p.has(".notice", "connection refused")
	assert.NotContains(t, eval[string](p, `document.querySelector(".figures").innerText`), "/s", "rates are not current")
	p.has(".finding.open", "reconciled by its own status write")
	p.shoot("disconnected")

	other := newRecording(true)
	header := *other.records[0].Body.(*trace.Header)
	header.Run, header.Project = "run-2", "example.com/other"
	other.records[0].Body = &header
	r.mu.Lock()
	r.records, r.failed = other.records, nil
	r.mu.Unlock()
	p.has(".quiet", "Nothing was recorded yet")
	p.has(".state.live", "live")
	p.has(".notice", "a new session began; the one before, with")
	d := doorOf(t, s.URL())
	_, body := d.attempt(t, "GET", "/data/save?before=true", map[string]string{"Authorization": "Bearer " + d.token})
	records := saved(t, body)
	assert.Equal(t, "run-1", records[0].Body.(*trace.Header).Run)
	assert.Len(t, slices.DeleteFunc(records, func(r trace.Record) bool { _, is := r.Body.(*trace.Reconcile); return !is }), 60)
	saves(p, "s")
}

// A page whose server is gone keeps what it has, and says so.
func TestServerIsGone(t *testing.T) {
	s, err := server.New(server.Options{Source: crontab(), File: "crontab.crdctl.gz"})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	p := open(t, s.URL(), "ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")
	p.has(".finding.open", "reconciled by its own status write")
	p.key("5")
	p.has(".view td", "crontab")
	cancel()
	require.NoError(t, <-done)
	p.has(".state.bad", "disconnected: as of 12:00:03, trying again")
	p.has(".view .hint", "not answered; what is here is as it was")
	p.key("6")
	p.has(".view .hint", "Not loaded: crdctl does not answer.")
	p.key("1")
	p.has(".finding.open", "reconciled by its own status write")
	p.key("4")
	p.has(".view .note", "not answered")
}
