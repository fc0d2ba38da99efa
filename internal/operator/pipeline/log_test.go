// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/operatortest"
	"github.com/crdctl/crdctl/internal/trace"
)

// The lines of a log are records, and are shown as before.
func TestLogger(t *testing.T) {
	records := operatortest.NewRecords()
	var shown strings.Builder
	log := New(records, "").Logger(slog.New(slog.NewTextHandler(&shown, &slog.HandlerOptions{Level: slog.LevelWarn})))
	log.Debug("not recorded")
	log.With("kind", "Site").Info("Successfully synced", "key", "default/shop", "after", 2*time.Second)
	log.WithGroup("hook").Error("failed", "err", errors.New("no answer"), "tries", 3)
	assert.Equal(t, 1, strings.Count(shown.String(), "\n"), "%s", &shown)

	lines := operatortest.RecordsOf[*trace.Log](records)
	require.Len(t, lines, 2)
	assert.Equal(t, "info Successfully synced default/shop", strings.Join([]string{lines[0].Level, lines[0].Message, lines[0].Key}, " "))
	assert.Equal(t, map[string]any{"kind": "Site", "key": "default/shop", "after": "2s"}, lines[0].Attrs)
	assert.Equal(t, "error", lines[1].Level)
	assert.Equal(t, "no answer", lines[1].Attrs["hook.err"])

	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	assert.Same(t, quiet, (*Trace)(nil).Logger(quiet))
}
