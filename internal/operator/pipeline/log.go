// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"context"
	"log/slog"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
)

// Logger returns a logger that also records lines of level info and above, whether or not they are shown.
func (t *Trace) Logger(log *slog.Logger) *slog.Logger {
	if t == nil {
		return log
	}
	return slog.New(slog.NewMultiHandler(log.Handler(), &handler{sink: t.sink}))
}

// handler records lines. Of an attribute in a group the name has those of its groups, with dots.
type handler struct {
	sink   trace.Sink
	attrs  []slog.Attr // their names are complete
	prefix string
}

func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	next := *h
	next.attrs = slices.Clone(h.attrs)
	for _, a := range attrs {
		next.attrs = append(next.attrs, slog.Attr{Key: h.prefix + a.Key, Value: a.Value})
	}
	return &next
}

func (h *handler) WithGroup(name string) slog.Handler {
	next := *h
	next.prefix += name + "."
	return &next
}

func (h *handler) Handle(_ context.Context, line slog.Record) error {
	r := &trace.Log{Level: "info", Message: line.Message, Attrs: make(map[string]any, len(h.attrs)+line.NumAttrs())}
	switch {
	case line.Level >= slog.LevelError:
		r.Level = "error"
	case line.Level >= slog.LevelWarn:
		r.Level = "warning"
	}
	for _, a := range h.attrs {
		r.Attrs[a.Key] = plain(a.Value)
	}
	line.Attrs(func(a slog.Attr) bool {
		r.Attrs[h.prefix+a.Key] = plain(a.Value)
		return true
	})
	r.Key, _ = r.Attrs["key"].(string)
	h.sink.Add(r)
	return nil
}

// plain is a value as JSON has it: what is neither a text, a number nor a bool is a text.
func plain(v slog.Value) any {
	switch v = v.Resolve(); v.Kind() {
	case slog.KindBool, slog.KindInt64, slog.KindUint64, slog.KindFloat64:
		return v.Any()
	}
	return v.String()
}
