// SPDX-License-Identifier: Apache-2.0

// Command testtimes reads what "go test -json" prints, shows each package as it ends and the output of what failed, and at the
// end the time of each package, the longest first. It exits with 1 when a test, a build or the stream itself did not come to a
// good end.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// event is a line of "go test -json"; see "go doc test2json".
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

type result struct {
	name    string
	elapsed float64
	ended   bool
	failed  bool
	output  map[string]string // by test, that of the package itself by ""
	began   []string          // how the output of each test that failed begins
}

// beginning and width bound what is shown again of a test that failed, in lines and in bytes of a line. Its assertions come before
// what its programs printed. CI keeps only a few kilobytes of the end of a log.
const (
	beginning = 20
	width     = 200
)

func main() {
	start := time.Now()
	if err := show(os.Stdin, os.Stdout, func() time.Duration { return time.Since(start) }); err != nil {
		fmt.Fprintln(os.Stderr, "testtimes:", err)
		os.Exit(1)
	}
}

// show reads events to their end. The error says how many packages failed.
func show(in io.Reader, out io.Writer, elapsed func() time.Duration) error {
	results := map[string]*result{}
	failed := 0
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil { // go itself has something to say
			_, _ = fmt.Fprintln(out, lines.Text())
			continue
		}
		if e.Action == "build-output" {
			_, _ = io.WriteString(out, e.Output)
		}
		if e.Package == "" {
			if e.Action == "build-fail" {
				failed++
			}
			continue
		}
		r := results[e.Package]
		if r == nil {
			r = &result{name: e.Package, output: map[string]string{}}
			results[e.Package] = r
		}
		if r.see(e, out) {
			failed++
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return table(results, failed, out, elapsed())
}

// see takes an event in, and reports whether it is the end of a package that failed.
func (r *result) see(e event, out io.Writer) bool {
	switch e.Action {
	case "output":
		r.output[e.Test] += e.Output
		return false
	case "pass", "skip", "fail":
	default:
		return false
	}
	if e.Action == "fail" {
		_, _ = io.WriteString(out, r.output[e.Test])
		r.fail(e.Test)
	}
	delete(r.output, e.Test)
	if e.Test != "" {
		return false
	}
	r.ended, r.failed, r.elapsed = true, e.Action == "fail", e.Elapsed
	if e.Action == "pass" {
		_, _ = fmt.Fprintf(out, "ok   %s %.1fs\n", r.name, r.elapsed)
	}
	if r.failed { // of a crash, the output is that of the tests that did not end
		for _, text := range r.output {
			_, _ = io.WriteString(out, text)
		}
	}
	return r.failed
}

// fail keeps how the output of a test that failed begins.
func (r *result) fail(test string) {
	lines := slices.DeleteFunc(strings.SplitAfter(r.output[test], "\n"), func(line string) bool { return line == "" || strings.HasPrefix(line, "=== ") })
	if test == "" || len(lines) == 0 {
		return
	}
	for i, line := range lines {
		if len(line) > width {
			lines[i] = strings.ToValidUTF8(line[:width], "") + "…\n"
		}
	}
	r.began = append(r.began, fmt.Sprintf("%s of %s failed:\n%s", test, r.name, strings.Join(lines[:min(beginning, len(lines))], "")))
}

// table prints the time of each package and, last, what failed: those who read the end of a long log see why.
func table(results map[string]*result, failed int, out io.Writer, elapsed time.Duration) error {
	all := slices.SortedFunc(maps.Values(results), func(a, b *result) int {
		return cmp.Or(cmp.Compare(b.elapsed, a.elapsed), strings.Compare(a.name, b.name))
	})
	tested, sum := 0, 0.0
	for _, r := range all {
		switch {
		case !r.ended:
			failed++
			_, _ = fmt.Fprintf(out, "%8s  %s\n", "no end", r.name)
		case r.elapsed > 0 || r.failed:
			tested++
			sum += r.elapsed
			_, _ = fmt.Fprintf(out, "%7.1fs  %s\n", r.elapsed, r.name)
		}
	}
	_, _ = fmt.Fprintf(out, "%7.1fs  in %d packages, which took %s\n", sum, tested, elapsed.Round(time.Second))
	for _, r := range all {
		for _, text := range r.began {
			_, _ = fmt.Fprintf(out, "\n%s", text)
		}
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%d packages failed", failed)
	case len(all) == 0:
		return fmt.Errorf("no package was tested")
	}
	return nil
}
