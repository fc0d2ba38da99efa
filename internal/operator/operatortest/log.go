// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Log is a slog.Handler that keeps each message with its attributes, for example "Caches synced objects=2".
type Log struct {
	mu    *sync.Mutex
	lines *[]string
	attrs string
}

// NewLog makes an empty log.
func NewLog() Log { return Log{mu: &sync.Mutex{}, lines: &[]string{}} }

// Enabled implements slog.Handler: debug messages are for people.
func (l Log) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle implements slog.Handler.
func (l Log) Handle(_ context.Context, record slog.Record) error {
	line := record.Message + l.attrs
	record.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	l.mu.Lock()
	defer l.mu.Unlock()
	*l.lines = append(*l.lines, line)
	return nil
}

// WithAttrs implements slog.Handler.
func (l Log) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		l.attrs += " " + a.String()
	}
	return l
}

// WithGroup implements slog.Handler; the loop has no groups.
func (l Log) WithGroup(string) slog.Handler { return l }

// Said is all messages so far.
func (l Log) Said() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(*l.lines)
}

// Count is how many messages begin with prefix.
func (l Log) Count(prefix string) int {
	n := 0
	for _, line := range l.Said() {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

// Expect compares the whole log.
func (l Log) Expect(t *testing.T, want ...string) {
	t.Helper()
	if got := l.Said(); !slices.Equal(got, want) {
		t.Errorf("log:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}
