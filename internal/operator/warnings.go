// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"context"
	"log/slog"
	"sync"
)

// warningCode is that of a warning that is not to be forgotten with its answer; the API server sends no other (RFC 7234, 5.5).
const warningCode = 299

// mostWarnings bounds what is remembered: a text may have an object's name in it.
const mostWarnings = 256

// warnings logs what the API server warns of, each text once. Above all, that a field of a status or child is not in the schema and
// was dropped: nothing else tells why it never shows.
type warnings struct {
	log  *slog.Logger
	mu   sync.Mutex
	told map[string]bool
}

func (w *warnings) HandleWarningHeaderWithContext(ctx context.Context, code int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if code != warningCode || text == "" || w.told[text] || len(w.told) >= mostWarnings {
		return
	}
	w.told[text] = true
	w.log.WarnContext(ctx, "The API server warns", "warning", text)
}
