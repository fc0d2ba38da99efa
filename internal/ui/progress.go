// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// lineEvery is how often a line is printed about work, where it is not drawn, and lineEveryLater after the first minute.
	lineEvery, lineEveryLater = 10 * time.Second, 30 * time.Second
	// drawFirst and drawEvery are when it is drawn on a terminal.
	drawFirst, drawEvery = 2 * time.Second, time.Second
)

// Display is where work is shown.
type Display struct {
	w           io.Writer
	drawn       bool
	explanation string
}

// On is a display that is drawn in place on a terminal, and printed line by line elsewhere. Nothing else may be printed to a
// terminal meanwhile.
func On(w io.Writer) Display { return Display{w: w, drawn: IsTerminal(w)} }

// Lines is a display that is printed line by line everywhere, for programs that log.
func Lines(w io.Writer) Display { return Display{w: w} }

// Explain returns the display with a sentence about the work, such as why it takes long. It is printed with the first line only.
func (d Display) Explain(explanation string) Display {
	d.explanation = explanation
	return d
}

// Show shows work that takes long, with what the go command is at: GoOutput of the context. What takes no time is not shown.
// Done ends that, and takes away what was drawn.
func (d Display) Show(ctx context.Context, what string) (_ context.Context, done func()) {
	s := &status{}
	first, every, line, end := lineEvery, lineEvery, "crdctl: %s%s (%s)%s\n", ""
	if d.drawn {
		first, every, line, end = drawFirst, drawEvery, "\r\x1b[Kcrdctl: %s%s (%s)%s", "\r\x1b[K"
	}
	shown := false
	stop := Repeat(first, every, func(passed time.Duration) {
		if !d.drawn && passed > time.Minute && passed.Round(lineEvery)%lineEveryLater != 0 {
			return
		}
		explanation := ""
		if d.explanation != "" && (d.drawn || !shown) {
			explanation = "; " + d.explanation
		}
		_, _ = fmt.Fprintf(d.w, line, what, s, passed, explanation)
		shown = true
	})
	return context.WithValue(ctx, statusKey{}, s), sync.OnceFunc(func() {
		if stop(); shown {
			_, _ = io.WriteString(d.w, end)
		}
	})
}
