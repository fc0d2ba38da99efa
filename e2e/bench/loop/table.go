package main

import (
	"fmt"
	"io"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// about says what was measured, and on what.
func about(w io.Writer, s settings, load float64, versions string) {
	_, _ = fmt.Fprintf(w, "Medians of %d interleaved runs; %d workers; %s, load %.1f when this began; %s.\n", s.runs, workers, measure.Machine(), load, versions)
	if measure.Busy(load) {
		_, _ = fmt.Fprintln(w, "The machine was busy when this began: its times are not to be trusted; measure again.")
	}
}

// printTable writes the table of one number of objects, as Markdown that a document may hold: the values, and behind them how many
// times that of controller-runtime.
func printTable(w io.Writer, objects int, sides []side, all map[string][]result) {
	_, _ = fmt.Fprintf(w, "\n%d objects of 1.5 KB. Start: from the start of the process until every object was reconciled once. Latency: from the answer\n"+
		"to a write until its reconcile began, at 100 writes a second to a control plane with room enough to collect no garbage meanwhile. Behind a value: how many times %s's.\n\n| side |", objects, reference)
	for _, c := range columns {
		_, _ = fmt.Fprintf(w, " %s |", c.metric)
	}
	_, _ = fmt.Fprint(w, "\n|---|")
	for range columns {
		_, _ = fmt.Fprint(w, "---|")
	}
	_, _ = fmt.Fprintln(w)
	for _, s := range sides {
		_, _ = fmt.Fprintf(w, "| %s |", s.name)
		for _, c := range columns {
			if !measured(all[s.name], c.metric) {
				_, _ = fmt.Fprint(w, " |")
				continue
			}
			_, _ = fmt.Fprintf(w, " %.*f%s |", c.digits, medianOf(all[s.name], c.metric)/c.unit, times(all, s.name, c.metric))
		}
		_, _ = fmt.Fprintln(w)
	}
}

// times is a ratio for people; empty where it says nothing.
func times(all map[string][]result, name string, m metric) string {
	r := versus(all, name, reference, m)
	if name == reference || r == 0 || m == perWrite || m == lost {
		return ""
	}
	return fmt.Sprintf(" (%.2f×)", r)
}

// versus is how many times the other side's median goes into that of a side; 0 where one of them is not there.
func versus(all map[string][]result, name, other string, m metric) float64 {
	if base := medianOf(all[other], m); base > 0 {
		return medianOf(all[name], m) / base
	}
	return 0
}
