// SPDX-License-Identifier: Apache-2.0

package ui

import (
	"context"
	"fmt"
	"io"
)

// Reporter prints what crdctl itself has to say to people: notes, warnings, errors and progress. Results are not its affair.
type Reporter struct{ w io.Writer }

// NewReporter returns a reporter that prints to w, the standard error as a rule.
func NewReporter(w io.Writer) Reporter { return Reporter{w} }

// Printf prints a line as it is.
func (r Reporter) Printf(format string, args ...any) { _, _ = fmt.Fprintf(r.w, format+"\n", args...) }

// Note prints a line that begins with crdctl's name, for output that others write to as well.
func (r Reporter) Note(format string, args ...any) { r.Printf("crdctl: "+format, args...) }

// Warn prints a warning, unless it is empty.
func (r Reporter) Warn(text string) {
	if text != "" {
		r.Note("warning: %s", text)
	}
}

// Error prints an error.
func (r Reporter) Error(err error) { r.Note("%v", err) }

// Lines prints each of some lines as it is.
func (r Reporter) Lines(lines []string) {
	for _, line := range lines {
		r.Printf("%s", line)
	}
}

// Work shows that work goes on, should it take long: the go command may download modules, or build generators of another version.
// Done must be called before anything else is printed.
func (r Reporter) Work(ctx context.Context, what string) (_ context.Context, done func()) {
	return On(r.w).Show(ctx, what)
}
