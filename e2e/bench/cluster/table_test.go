package main

import (
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

func TestPrintStarts(t *testing.T) {
	s := func(ready, created time.Duration) started {
		return started{ready * time.Millisecond, ready * time.Millisecond, created * time.Millisecond}
	}
	var out strings.Builder
	printStarts(&out, starts{
		ours:      {s(900, 1000), s(800, 900), s(5000, 5000)},
		plain:     {s(1000, 3000)},
		childrens: {s(3000, 5000), s(2000, 4000)},
	})
	for _, want := range []string{
		"| API ready | 0.900 s | 1.000 s | 0.90× | not measured | 2.500 s | 2.78× |\n",
		"| first custom object accepted | 1.000 s | 3.000 s | 0.33× | not measured | 4.500 s | 4.50× |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %sin\n%s", want, &out)
		}
	}
}

func TestPrintSaves(t *testing.T) {
	var out strings.Builder
	one := saved{total: 3 * time.Second, build: 2 * time.Second, start: 200 * time.Millisecond, before: 100 * time.Millisecond, building: 2100 * time.Millisecond, after: 20 * time.Millisecond}
	printSaves(&out, map[string][]saved{edits()[1].name: {one}})
	for _, want := range []string{
		"| one line in crontab.go | not measured |",
		"| a new field in types.go | 3.000 s | 2.000 s | 0.200 s | 0.800 s | 0.100 s | 2.100 s | 0.020 s |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %sin\n%s", want, &out)
		}
	}
}

func TestPrintIdle(t *testing.T) {
	var out strings.Builder
	printIdle(&out, settings{idle: 20 * time.Second, objects: 10000}, 8*time.Second, idled{0, 1.26, measure.Usage{Resident: 300 << 20, Anonymous: 200 << 20, Peak: 310 << 20}})
	for _, want := range []string{"in 8.0 s: 1250 a second", "| 0 | 1.3 % of a core | 300 MB | 200 MB | 310 MB |\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %sin\n%s", want, &out)
		}
	}
}
