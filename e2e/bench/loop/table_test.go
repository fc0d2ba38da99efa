package main

import (
	"strings"
	"testing"
)

// results are three runs of which the median is the given one.
func runs(r result) []result {
	low, high := result{}, result{}
	for m, v := range r {
		low[m], high[m] = v, v
		if m != lost && m != perWrite {
			low[m], high[m] = v/2, 3*v
		}
	}
	return []result{high, r, low}
}

func TestTable(t *testing.T) {
	all := map[string][]result{
		reference: runs(result{start: 2, startCPU: 1, peak: 100 << 20, p50: 0.0005, noops: 1000}),
		whole:     runs(result{start: 1, startCPU: 0.3, peak: 50 << 20, p50: 0.00025, noops: 2000, lost: 0, perWrite: 1}),
	}
	var out strings.Builder
	printTable(&out, 10000, []side{{name: reference}, {name: whole}, {name: metadata}}, all)
	for _, want := range []string{
		"| controller-runtime | 2.00 | 1.00 | 100 | | | 0.50 | | | | 1000 | | |\n",
		"| crdctl-whole | 1.00 (0.50×) | 0.30 (0.30×) | 50 (0.50×) | | | 0.25 (0.50×) | | | | 2000 (2.00×) | 1.00 | 0 |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %sin\n%s", want, &out)
		}
	}
}

func TestVerdicts(t *testing.T) {
	good := result{start: 0.7, startCPU: 0.3, perObject: 1500, resident: 60, p50: 1, p99: 1, perUpdate: 1, noops: 10, perWrite: 1}
	base := result{start: 1, startCPU: 1, perObject: 2700, resident: 100, p50: 1, p99: 1, perUpdate: 1, noops: 5}
	held := []side{{name: reference}, {name: pattern}, {name: whole, held: wholeLimits}}
	judge := func(objects int, change result, lastRun bool) (missed []string, n int) {
		ours := result{}
		for m, v := range good {
			ours[m] = v
		}
		all := map[string][]result{reference: runs(base), pattern: runs(base)}
		if lastRun {
			all[whole] = append(runs(ours), change)
		} else {
			for m, v := range change {
				ours[m] = v
			}
			all[whole] = runs(ours)
		}
		found := verdicts(objects, held, all)
		for _, v := range found {
			if !v.met {
				missed = append(missed, v.text)
			}
		}
		return missed, len(found)
	}
	if missed, n := judge(50000, nil, false); len(missed) > 0 || n != 10 {
		t.Errorf("%d verdicts, missed %q", n, missed)
	}
	if _, n := judge(10000, nil, false); n != 9 {
		t.Errorf("%d verdicts: resident memory is judged with many objects only", n)
	}
	for want, change := range map[string]result{
		"start, s: 0.90×": {start: 0.9}, "CPU until synced, s: 0.50×": {startCPU: 0.5}, "no-op reconciles per s: 0.80× of sample-controller": {noops: 4},
		"after collection, MB: 0.70×": {resident: 70}, "latency p99, ms: 1.10×": {p99: 1.1},
	} {
		if missed, _ := judge(50000, change, false); len(missed) != 1 || !strings.Contains(missed[0], want) {
			t.Errorf("%v: missed %q", change, missed)
		}
	}
	if missed, _ := judge(10000, result{p99: 0}, false); len(missed) > 0 {
		t.Errorf("no latency at all is a miss: %q", missed)
	}
	delete(good, p50)
	if missed, _ := judge(10000, nil, false); len(missed) != 1 || !strings.Contains(missed[0], "p50") {
		t.Errorf("not measured: missed %q", missed)
	}
	good[p50] = 1
	// These are no matter of medians.
	for want, change := range map[string]result{"1 updates lost": {lost: 1}, "1.01 reconciles per write": {perWrite: 1.01}} {
		if missed, _ := judge(10000, change, true); len(missed) != 1 || !strings.Contains(missed[0], want) {
			t.Errorf("%v: missed %q", change, missed)
		}
	}
	var out strings.Builder
	if n := printVerdicts(&out, []verdict{{"a", true}, {"b", false}}); n != 1 || out.String() != "\nok     a\nMISSED b\n" {
		t.Errorf("%d, %q", n, &out)
	}
}
