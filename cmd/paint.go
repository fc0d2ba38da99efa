package cmd

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// paint colors text, or leaves it as it is.
type paint bool

// newPaint decides by --color, NO_COLOR (https://no-color.org) and whether w is a terminal.
func newPaint(w io.Writer, mode string) paint {
	if mode != "auto" {
		return mode == "always"
	}
	return paint(os.Getenv("NO_COLOR") == "" && isTerminal(w))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// diff colors a unified diff as git does.
func (p paint) diff(text string) string {
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
