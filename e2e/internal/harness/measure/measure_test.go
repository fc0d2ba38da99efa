package measure

import (
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for want, times := range map[time.Duration][]time.Duration{0: nil, 5: {5}, 4: {9, 4, 1}, 3: {1, 9, 2, 4}} {
		if got := Median(times); got != want {
			t.Errorf("median of %v: %d, want %d", times, got, want)
		}
	}
	if got := Median([]float64{0.5, 4, 1.5}); got != 1.5 {
		t.Errorf("median of numbers: %f", got)
	}
	times := []time.Duration{3, 1, 2}
	if Median(times); times[0] != 3 {
		t.Error("the caller's times are in another order now")
	}
}

func TestNumber(t *testing.T) {
	for value, want := range map[string]int{"": 3, "0": 0, "12": 12, "-1": -1, "many": -1} {
		n, err := Number(func(name string) string {
			if name != "BENCH_X" {
				t.Errorf("asked for %s", name)
			}
			return value
		}, "BENCH_X", 3)
		if (err != nil) != (want < 0) || err == nil && n != want {
			t.Errorf("%q: %d, %v", value, n, err)
		}
		if err != nil && !strings.Contains(err.Error(), "BENCH_X="+value+" is not a number; give 0 or more") {
			t.Error(err)
		}
	}
}

func TestRun(t *testing.T) {
	took, err := Run(t.Context(), Side{Dir: t.TempDir(), Argv: []string{"go", "version"}})
	if err != nil || took.Wall <= 0 || took.CPU <= 0 {
		t.Errorf("%+v, %v", took, err)
	}
	if _, err := Run(t.Context(), Side{Dir: t.TempDir(), Argv: []string{"go", "nothing"}}); err == nil || !strings.Contains(err.Error(), "go nothing: exit status 2\n") || !strings.Contains(err.Error(), "unknown command") {
		t.Errorf("what a failed side said is not told: %v", err)
	}
}

func TestTail(t *testing.T) {
	if got := Tail("1\n2\n3\n", 2); got != "2\n3" {
		t.Errorf("%q", got)
	}
	if got := Tail("1\n", 2); got != "1" {
		t.Errorf("%q", got)
	}
}
