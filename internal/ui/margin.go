// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"bytes"
	"io"
	"sync"
)

// Margin shows on a terminal which of several programs a line is from, as docker compose and foreman do. A line is written as a
// whole, so that the lines of two programs do not mix.
type Margin struct {
	mu    sync.Mutex
	w     io.Writer
	paint Paint
	width int
}

// NewMargin returns a margin that is wide enough for the names.
func NewMargin(w io.Writer, paint Paint, names ...string) *Margin {
	m := &Margin{w: w, paint: paint}
	for _, name := range names {
		m.width = max(m.width, len(name))
	}
	return m
}

// Color is one of a terminal's.
type Color string

// The colors of margins.
const (
	Cyan   Color = "\x1b[36m"
	Yellow Color = "\x1b[33m"
)

// Of returns a writer for the output of one program. What its lines begin with by themselves is left out: the margin says it.
func (m *Margin) Of(name string, color Color, drop string) *MarginWriter {
	label := name + string(bytes.Repeat([]byte{' '}, m.width-len(name))) + " │ "
	if m.paint {
		label = string(color) + label + "\x1b[m"
	}
	return &MarginWriter{margin: m, label: []byte(label), drop: []byte(drop)}
}

// Prefixed returns a writer that begins each line with a prefix, unless it begins with it by itself.
func Prefixed(w io.Writer, prefix string) *MarginWriter {
	return &MarginWriter{margin: &Margin{w: w}, label: []byte(prefix), drop: []byte(prefix)}
}

// MarginWriter writes the lines of one program.
type MarginWriter struct {
	margin      *Margin
	label, drop []byte
	line        []byte // that is not complete yet
}

// maxLine bounds what is kept of a line that does not end.
const maxLine = 64 << 10

// Write never fails: what a program prints must not end it.
func (w *MarginWriter) Write(p []byte) (int, error) {
	w.margin.mu.Lock()
	defer w.margin.mu.Unlock()
	w.line = append(w.line, p...)
	var out []byte
	for {
		i := bytes.IndexByte(w.line, '\n')
		if i < 0 && len(w.line) < maxLine {
			break
		} else if i < 0 {
			i = len(w.line)
		}
		out = append(out, w.label...)
		out = append(append(out, bytes.TrimPrefix(w.line[:i], w.drop)...), '\n')
		w.line = w.line[min(i+1, len(w.line)):]
	}
	_, _ = w.margin.w.Write(out)
	return len(p), nil
}

// End writes what is left of a line that was not completed. A nil writer has none.
func (w *MarginWriter) End() {
	if w == nil {
		return
	}
	w.margin.mu.Lock()
	open := len(w.line) > 0
	w.margin.mu.Unlock()
	if open {
		_, _ = w.Write([]byte{'\n'})
	}
}
