// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	browsercdp "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// What the page saves of a damaged recording has gaps, and a note.
func TestSaveOfADamagedRecording(t *testing.T) {
	r := newRecording(true)
	r.after(time.Second)
	r.hotLoop(controller, 3)
	r.add(&trace.Gap{From: r.t, To: r.t, Dropped: map[trace.Kind]int64{trace.KindAny: 7}, Damaged: true, Why: "the file is damaged"})
	s := serve(t, r, live)
	p := open(t, s.URL())
	p.has(".gap", "7 any dropped: the file is damaged")
	d := doorOf(t, s.URL())
	answer, body := d.attempt(t, "GET", "/data/save", map[string]string{"Authorization": "Bearer " + d.token})
	assert.Equal(t, "at least 7 records could not be read", answer.Header.Get("Crdctl-Left-Out"))
	saved(t, body)
	saves(p, "s")
	p.has(".notice", "Not everything is in it: at least 7 records could not be read")
}

// saved opens what the page saves.
func saved(t *testing.T, content string) (all []trace.Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "saved.crdctl.gz")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	f, err := trace.OpenFile(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	require.NoError(t, f.CutOff())
	for r, err := range f.Records(t.Context(), 0) {
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}

// saves presses a key, after which the browser saves a recording.
func saves(p *tab, key string) {
	p.t.Helper()
	dir := p.t.TempDir()
	_, err := chromedp.Call(p.ctx, browsercdp.SetDownloadBehavior, browsercdp.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: dir})
	require.NoError(p.t, err)
	p.key(key)
	p.has(".notice", "the browser has saved crdctl-")
	require.Eventually(p.t, func() bool {
		files, err := filepath.Glob(filepath.Join(dir, "crdctl-*.crdctl.gz"))
		return err == nil && len(files) == 1
	}, time.Minute, 50*time.Millisecond)
}
