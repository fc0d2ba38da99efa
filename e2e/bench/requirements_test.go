// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The units of what BenchmarkLoop measures that crdctl is held to.
const (
	start     = "start-sec"
	startCPU  = "start-cpu-sec"
	resident  = "resident-MB"
	perObject = "heap-B/object"
	p50       = "latency-p50-ms"
	p99       = "latency-p99-ms"
	perUpdate = "cpu-ms/update"
	perWrite  = "reconciles/write"
	lost      = "lost"
)

// limits are the largest ratios to controller-runtime that are good enough.
type limits map[string]float64

// What is required where whole objects are kept, where metadata is enough, and where objects are whole until they were reconciled:
// that reads like the first and keeps like the second.
var (
	wholeLimits    = limits{start: 0.8, startCPU: 0.4, perObject: 0.6, resident: 0.6, p50: 1, p99: 1, perUpdate: 1}
	settlingLimits = limits{start: 0.8, startCPU: 0.4, perObject: 0.55, resident: 0.5, p50: 1, p99: 1, perUpdate: 1}
	metadataLimits = limits{start: 0.5, startCPU: 0.2, perObject: 0.55, resident: 0.5, p50: 0.6, p99: 0.6, perUpdate: 0.6}
)

const (
	// judged is how many objects there must be for ratios to mean anything.
	judged = 1000
	// manyObjects is how many there must be for the resident memory to be that of objects, and not of the program.
	manyObjects = 50000
)

// missed are the requirements that crdctl's sides do not meet.
func missed(objects int, sides []side, all map[string]samples) (found []string) {
	for _, s := range sides {
		if s.held == nil {
			continue
		}
		ours, theirs := all[s.name], all[reference]
		for _, unit := range slices.Sorted(maps.Keys(s.held)) {
			if objects < judged || unit == resident && objects < manyObjects || len(theirs[unit]) == 0 {
				continue
			}
			limit := s.held[unit]
			// Values and not their ratio: a latency may be 0.
			if len(ours[unit]) == 0 || ours.median(unit) > limit*theirs.median(unit) {
				found = append(found, fmt.Sprintf("%s: %s: %.2f of %s, at most %.2f", s.name, unit, ours.median(unit)/theirs.median(unit), reference, limit))
			}
		}
		// One run that is wrong is wrong enough: no median.
		if len(ours[perWrite]) == 0 || slices.Max(ours[perWrite]) > 1 {
			found = append(found, fmt.Sprintf("%s: %.2f reconciles per write, at most 1", s.name, ours[perWrite]))
		}
		if len(ours[lost]) == 0 || slices.Max(ours[lost]) > 0 {
			found = append(found, fmt.Sprintf("%s: %.0f updates lost, none may be", s.name, ours[lost]))
		}
	}
	return found
}

func TestMissed(t *testing.T) {
	good := map[string]float64{start: 0.7, startCPU: 0.3, perObject: 1500, resident: 60, p50: 1, p99: 1, perUpdate: 1, perWrite: 1, lost: 0}
	base := map[string]float64{start: 1, startCPU: 1, perObject: 2700, resident: 100, p50: 1, p99: 1, perUpdate: 1}
	// three are three runs of which the median is the given one.
	three := func(values map[string]float64) samples {
		s := samples{}
		for unit, v := range values {
			s[unit] = []float64{2 * v, v, v / 2}
		}
		return s
	}
	for _, test := range []struct {
		objects int
		unit    string
		values  []float64 // of our three runs
		want    string
	}{
		{50000, start, []float64{2, 0.7, 0.1}, ""},
		{50000, start, []float64{0.9, 0.9, 0.1}, "ours: start-sec: 0.90 of controller-runtime, at most 0.80"},
		{50000, startCPU, []float64{0.5}, "start-cpu-sec: 0.50"},
		{50000, resident, []float64{70}, "resident-MB: 0.70"},
		{10000, resident, []float64{70}, ""}, // with few objects it is the program's
		{50000, p99, []float64{1.1}, "latency-p99-ms: 1.10"},
		{50000, p99, []float64{0}, ""},
		{50000, p50, nil, "latency-p50-ms"}, // not measured
		{100, p99, []float64{5}, ""},
		{100, lost, []float64{0, 0, 1}, "1] updates lost"},
		{100, perWrite, []float64{1, 1, 1.01}, "1.01] reconciles per write"},
	} {
		ours := three(good)
		ours[perWrite] = []float64{1, 1, 1}
		ours[test.unit] = test.values
		found := strings.Join(missed(test.objects, []side{{name: reference}, {name: "ours", held: wholeLimits}}, map[string]samples{reference: three(base), "ours": ours}), "\n")
		assert.Contains(t, found, test.want)
		assert.Equal(t, test.want == "", found == "", found)
	}
}
