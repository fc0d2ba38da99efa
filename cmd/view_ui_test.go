// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_codegen && !crdctl_loop

package cmd

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/ui"
)

// "crdctl view FILE" prints the URL of a page that serves the recording, until it is interrupted.
func TestViewPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.crdctl.gz")
	r, err := trace.New(trace.Options{File: file, Header: trace.Header{Run: "run-7"}})
	require.NoError(t, err)
	require.NoError(t, r.Begin())
	r.Add(&trace.Log{Stream: "stderr", Message: "hello from the controller"})
	require.NoError(t, r.Close())

	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		c := newView(ui.Streams{Out: in, Err: io.Discard}, &options{})
		c.SetArgs([]string{file})
		done <- c.ExecuteContext(ctx)
	}()
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	base, token, ok := strings.Cut(strings.TrimSpace(url), "/#token=")
	require.True(t, ok, url)
	require.Eventually(t, func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"/data/log", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer func() { assert.NoError(t, answer.Body.Close()) }()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return strings.Contains(string(body), "hello from the controller")
	}, 30*time.Second, 20*time.Millisecond)
	cancel()
	require.NoError(t, <-done)
}
