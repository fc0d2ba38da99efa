// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/crdctl/crdctl/internal/proc"
	"github.com/crdctl/crdctl/internal/ui"
)

// findings has the API checked after what is generated from it was, next to the loop, and reports what was not found before. A process of its
// own does it, as for generate: type-checking takes memory that this process would keep.
type findings struct {
	check    func(context.Context) ([]checkFinding, error)
	reporter ui.Reporter
	known    map[string]bool // by fingerprint; nil before the first check
	stop     context.CancelFunc
	done     chan []checkFinding // of the check that runs; nil when none does
}

// checkFinding is what a report of "crdctl check -o json" has.
type checkFinding struct {
	Rule, Severity, File, Message, Fix, Fingerprint string
	Line, Column                                    int
}

// mostFindings is how many new findings are printed.
const mostFindings = 5

// begin checks the API as it is now. A check that runs is stopped: what it would find is of the past.
func (f *findings) begin(ctx context.Context) {
	f.end()
	ctx, f.stop = context.WithCancel(ctx)
	done := make(chan []checkFinding, 1)
	f.done = done
	go func() {
		defer close(done)
		if found, err := f.check(ctx); err == nil {
			done <- found
		}
	}()
}

// end stops the check that runs, and waits for it.
func (f *findings) end() {
	if f.done == nil {
		return
	}
	f.stop()
	for range f.done {
	}
	f.done = nil
}

// found is where the findings of the check that runs arrive.
func (f *findings) found() <-chan []checkFinding {
	if f == nil {
		return nil
	}
	return f.done
}

// news reports what the check found that the one before did not. The first has nothing to compare with. Without an answer, as for an API that
// cannot be checked, what is known stays.
func (f *findings) news(found []checkFinding, ok bool) {
	f.done = nil
	f.stop()
	if !ok {
		return
	}
	first, shown := f.known == nil, 0
	slices.SortStableFunc(found, func(a, b checkFinding) int { return weight(a) - weight(b) })
	known := map[string]bool{}
	for _, n := range found {
		known[n.Fingerprint] = true
		if first || f.known[n.Fingerprint] {
			continue
		}
		if shown++; shown <= mostFindings {
			f.reporter.Note("check: %s:%d:%d: %s: %s [%s]. %s", n.File, n.Line, n.Column, n.Severity, n.Message, n.Rule, n.Fix)
		}
	}
	f.known = known
	if more := shown - mostFindings; more > 0 {
		f.reporter.Note("check: and %d more; see \"crdctl check\"", more)
	}
}

// weight is larger for a note, which is printed after what is worse.
func weight(n checkFinding) int {
	if n.Severity == "note" {
		return 1
	}
	return 0
}

// checkAPI runs "crdctl check" without the comparison with older revisions: run warns of what a changed CRD would do to stored objects
// before it installs the CRD.
func (d *devLoop) checkAPI(ctx context.Context) ([]checkFinding, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	child, err := proc.Start(proc.Options{
		Path: self, Args: []string{"check", "preflight", "lint", "samples", "--dir", d.Root, "-o", "json"}, Dir: d.Root, Stdout: &out, Stderr: io.Discard,
		Env: append(os.Environ(), "GOTMPDIR="+d.dir), StopSignal: os.Interrupt,
	})
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	select {
	case <-child.Done():
	case <-ctx.Done():
		child.Stop()
		return nil, context.Cause(ctx)
	}
	var report struct {
		Findings []checkFinding
		Judged   map[string]string
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		return nil, cmp.Or(child.Err(), err, errors.New("no findings"))
	}
	if report.Judged["lint"] == "" { // what a part of the answer lacks would be news in the next
		return nil, errors.New("the Go types were not judged")
	}
	return report.Findings, nil
}
