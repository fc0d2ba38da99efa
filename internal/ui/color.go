// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Paint colors text, or leaves it as it is.
type Paint bool

// NewPaint decides by --color, NO_COLOR (https://no-color.org) and whether w is a terminal.
func NewPaint(w io.Writer, mode string) Paint {
	if mode != "auto" {
		return mode == "always"
	}
	return Paint(os.Getenv("NO_COLOR") == "" && IsTerminal(w))
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Diff colors a unified diff as git does.
func (p Paint) Diff(text string) string {
	if !p {
		return text
	}
	const reset, bold, red, green, cyan = "\x1b[m", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m"
	var b strings.Builder
	for line := range strings.Lines(text) {
		color := ""
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			color = bold
		case strings.HasPrefix(line, "@@"):
			color = cyan
		case strings.HasPrefix(line, "-"):
			color = red
		case strings.HasPrefix(line, "+"):
			color = green
		}
		body, newline := strings.CutSuffix(line, "\n")
		if color != "" {
			body = color + body + reset
		}
		b.WriteString(body)
		if newline {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
