package bench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
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
	noops     = "no-op-reconciles/sec"
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
		ours, theirs, patterns := all[s.name], all[reference], all[pattern]
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
		if objects >= judged && len(patterns[noops]) > 0 && ours.median(noops) < patterns.median(noops) {
			found = append(found, fmt.Sprintf("%s: %s: %.2f of %s, at least 1.00", s.name, noops, ours.median(noops)/patterns.median(noops), pattern))
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
	good := map[string]float64{start: 0.7, startCPU: 0.3, perObject: 1500, resident: 60, p50: 1, p99: 1, perUpdate: 1, noops: 10, perWrite: 1, lost: 0}
	base := map[string]float64{start: 1, startCPU: 1, perObject: 2700, resident: 100, p50: 1, p99: 1, perUpdate: 1, noops: 5}
	held := []side{{name: reference}, {name: pattern}, {name: "ours", held: wholeLimits}}
	// three are three runs of which the median is the given one.
	three := func(values map[string]float64) samples {
		s := samples{}
		for unit, v := range values {
			s[unit] = []float64{3 * v, v, v / 2}
			if unit == perWrite || unit == lost {
				s[unit] = []float64{v, v, v}
			}
		}
		return s
	}
	for _, test := range []struct {
		objects int
		unit    string
		value   float64
		want    string
	}{
		{50000, start, 0.7, ""},
		{50000, start, 0.9, "ours: start-sec: 0.90 of controller-runtime, at most 0.80"},
		{50000, startCPU, 0.5, "start-cpu-sec: 0.50"},
		{50000, noops, 4, "no-op-reconciles/sec: 0.80 of sample-controller"},
		{50000, resident, 70, "resident-MB: 0.70"},
		{10000, resident, 70, ""}, // with few objects it is the program's
		{50000, p99, 1.1, "latency-p99-ms: 1.10"},
		{50000, p99, 0, ""},
		{100, p99, 5, ""},
	} {
		values := maps.Clone(good)
		values[test.unit] = test.value
		found := strings.Join(missed(test.objects, held, map[string]samples{reference: three(base), pattern: three(base), "ours": three(values)}), "\n")
		if (found == "") != (test.want == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s %f with %d objects: %q, want %q", test.unit, test.value, test.objects, found, test.want)
		}
	}
	for unit, want := range map[string]string{lost: "1] updates lost", perWrite: "1.01] reconciles per write", p50: "latency-p50-ms"} {
		ours := three(good)
		ours[unit] = append(ours[unit], ours[unit][0]+0.01)
		switch unit {
		case lost:
			ours[unit][3] = 1
		case p50:
			delete(ours, unit) // not measured
		}
		if found := missed(10000, held, map[string]samples{reference: three(base), pattern: three(base), "ours": ours}); len(found) != 1 || !strings.Contains(found[0], want) {
			t.Errorf("%s: %q, want %q", unit, found, want)
		}
	}
}
