package main

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	const mb = 1 << 20
	first := holding{replica: "a", pid: 7, heap: 10 * mb, goroutines: 40, files: 15, hooks: 1}
	for want, change := range map[string]func(*holding){
		"":                            func(s *holding) { s.heap, s.goroutines, s.files = 15*mb, 50, 23 },
		"from round 0 to 2: the heap": func(s *holding) { s.heap = 17 * mb },
		"goroutines grew from 40":     func(s *holding) { s.goroutines = 51 },
		"open files grew from 15":     func(s *holding) { s.files = 24 },
		"2 hook processes in round 2": func(s *holding) { s.hooks = 2 },
	} {
		middle, last := first, first
		middle.round, middle.heap, middle.goroutines, middle.files = 1, 99*mb, 99, 99 // a peak is no growth
		last.round = 2
		change(&last)
		other := holding{replica: "b", pid: 8, heap: 90 * mb, goroutines: 90, files: 90} // another life
		found := strings.Join(judge([]holding{first, middle, last, other}), "\n")
		if !strings.Contains(found, want) || (want == "") != (found == "") {
			t.Errorf("%q, want %q", found, want)
		}
	}
}

func TestMetric(t *testing.T) {
	text := "# HELP go_goroutines x\n# TYPE go_goroutines gauge\ngo_goroutines 53\ngo_goroutines_more 9\nn{a=\"1\"} 1.5\nn{a=\"2 3\"} 2e+06\n"
	for name, want := range map[string]float64{"go_goroutines": 53, "n": 2000001.5, "none": 0} {
		if got := metric(text, name); got != want {
			t.Errorf("%s: %f, want %f", name, got, want)
		}
	}
}
