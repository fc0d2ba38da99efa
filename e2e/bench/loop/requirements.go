package main

import (
	"fmt"
	"io"
)

// limits are the largest ratios to controller-runtime that are good enough.
type limits map[metric]float64

// What is required where whole objects are kept, where metadata is enough, and where objects are whole until they were reconciled:
// that reads like the first and keeps like the second.
var (
	wholeLimits    = limits{start: 0.8, startCPU: 0.4, perObject: 0.6, resident: 0.6, p50: 1, p99: 1, perUpdate: 1}
	settlingLimits = limits{start: 0.8, startCPU: 0.4, perObject: 0.55, resident: 0.5, p50: 1, p99: 1, perUpdate: 1}
	metadataLimits = limits{start: 0.5, startCPU: 0.2, perObject: 0.55, resident: 0.5, p50: 0.6, p99: 0.6, perUpdate: 0.6}
)

// manyObjects is how many there must be for the resident memory to be that of objects, and not of the program.
const manyObjects = 50000

// verdict is one requirement, and whether it is met.
type verdict struct {
	text string
	met  bool
}

// verdicts holds crdctl's sides to what is required of them.
func verdicts(objects int, sides []side, all map[string][]result) (found []verdict) {
	for _, s := range sides {
		if s.held == nil {
			continue
		}
		results := all[s.name]
		for _, c := range columns {
			limit, required := s.held[c.metric]
			if !required || c.metric == resident && objects < manyObjects || !measured(all[reference], c.metric) {
				continue
			}
			// Values and not their ratio: a latency may be 0.
			met := measured(results, c.metric) && medianOf(results, c.metric) <= limit*medianOf(all[reference], c.metric)
			text := fmt.Sprintf("%s: %s: %.2f× of %s, at most %.2f×", s.name, c.metric, versus(all, s.name, reference, c.metric), reference, limit)
			found = append(found, verdict{text, met})
		}
		if measured(all[pattern], noops) {
			r := versus(all, s.name, pattern, noops)
			found = append(found, verdict{fmt.Sprintf("%s: %s: %.2f× of %s, at least 1.00×", s.name, noops, r, pattern), r >= 1})
		}
		found = append(found,
			verdict{fmt.Sprintf("%s: %.2f reconciles per write, at most 1", s.name, worst(results, perWrite)), worst(results, perWrite) <= 1},
			verdict{fmt.Sprintf("%s: %.0f updates lost, none may be", s.name, worst(results, lost)), worst(results, lost) == 0})
	}
	return found
}

// printVerdicts writes a line for each, and returns how many are missed.
func printVerdicts(w io.Writer, all []verdict) (missed int) {
	_, _ = fmt.Fprintln(w)
	for _, v := range all {
		word := "ok    "
		if !v.met {
			word = "MISSED"
			missed++
		}
		_, _ = fmt.Fprintf(w, "%s %s\n", word, v.text)
	}
	return missed
}
