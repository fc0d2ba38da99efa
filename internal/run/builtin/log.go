// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"io"
	"log/slog"
	"time"

	"github.com/lmittmann/tint"
)

// newLogger is the log of the built-in controller: a line for a person, whose message is found by grep as it is
// documented (slog's own text handler would escape the quotes in it).
func newLogger(w io.Writer, debug, quiet, color bool) *slog.Logger {
	level := slog.LevelInfo
	switch {
	case debug:
		level = slog.LevelDebug
	case quiet:
		level = slog.LevelWarn
	}
	return slog.New(tint.NewTextHandler(w, &tint.Options{Level: level, TimeFormat: time.TimeOnly + ".000", NoColor: !color}))
}
