package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// row is a line of the table.
type row struct {
	project, stage   string
	upstream, crdctl []measure.Taken
	outcome          outcome
	// turns is how many of the runs were compared.
	turns int
}

// saw keeps the outcome of a turn; one that differs is not forgotten.
func (r *row) saw(o outcome) {
	r.turns++
	if len(r.outcome.differ) == 0 {
		r.outcome = o
	}
}

// errDifferent is the end of a bench whose sides did not do the same.
var errDifferent = errors.New("some outputs differ, and have no ratio; see the table")

// printTable writes the table, as Markdown that a README may hold.
func printTable(w io.Writer, about string, rows []row) error {
	_, err := fmt.Fprintf(w, "%s\nUpstream's memory is that of its largest tool.\n\n"+
		"| project | | upstream | crdctl | ratio | upstream's CPU | crdctl's | ratio | upstream's memory | crdctl's | outputs |\n"+
		"|---|---|---|---|---|---|---|---|---|---|---|\n", about)
	if err != nil {
		return err
	}
	different := false
	for _, r := range rows {
		if len(r.outcome.differ) > 0 {
			different = true
		}
		_, err := fmt.Fprintf(w, "| %s | %s | %s | %s | %d MB | %d MB | %s |\n", r.project, r.stage,
			r.compared(func(m measure.Taken) time.Duration { return m.Wall }), r.compared(func(m measure.Taken) time.Duration { return m.CPU }),
			peak(r.upstream)>>20, peak(r.crdctl)>>20, r.outcome)
		if err != nil {
			return err
		}
	}
	if different {
		return errDifferent
	}
	return nil
}

// compared are three columns: the medians of both sides, and their ratio if they did the same.
func (r row) compared(of func(measure.Taken) time.Duration) string {
	u, c := medianOf(r.upstream, of).Seconds(), medianOf(r.crdctl, of).Seconds()
	ratio := "none"
	if len(r.outcome.differ) == 0 {
		ratio = fmt.Sprintf("%.1f×", u/c)
	}
	return fmt.Sprintf("%.2f s | %.3f s | %s", u, c, ratio)
}

func medianOf(all []measure.Taken, of func(measure.Taken) time.Duration) time.Duration {
	var times []time.Duration
	for _, m := range all {
		times = append(times, of(m))
	}
	return measure.Median(times)
}

// peak is the largest of the peaks.
func peak(all []measure.Taken) (most int64) {
	for _, m := range all {
		most = max(most, m.Peak)
	}
	return most
}
