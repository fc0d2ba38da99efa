package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/crdctl/crdctl/e2e/internal/harness/api"
	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// about says what was measured, and on what.
func about(w io.Writer, s settings, load float64, versions string) {
	if versions != "" {
		versions = "; " + versions
	}
	_, _ = fmt.Fprintf(w, "Medians of %d interleaved runs; %s, load %.1f when this began%s.\n", s.runs, measure.Machine(), load, versions)
	if measure.Busy(load) {
		_, _ = fmt.Fprintln(w, "The machine was busy when this began: its times are not to be trusted; measure again.")
	}
}

// measureStart measures the start, and prints the table of it.
func measureStart(ctx context.Context, b *bench, s settings, out io.Writer) error {
	all, err := b.start(ctx, s.runs)
	printStarts(out, all)
	return err
}

// printStarts writes the table, as Markdown that a README may hold.
func printStarts(w io.Writer, all starts) {
	_, _ = fmt.Fprintf(w, "\nAPI ready: the first 200 of /readyz, asked with the credential every %d ms. First object: the 201 of a plain POST once the CRD is\n"+
		"established; with crdctl and envtest, once they say that it is installed.\n\n", api.PollInterval.Milliseconds())
	_, _ = fmt.Fprintf(w, "| process start until | %s | %s | %s / %s | %s | %s | %s / %s |\n|---|---|---|---|---|---|---|---|\n",
		ours, plain, ours, plain, stock, childrens, childrens, ours)
	for _, event := range []struct {
		name string
		of   func(started) time.Duration
	}{
		{"API ready", func(s started) time.Duration { return s.ready }},
		{"CRD established", func(s started) time.Duration { return s.installed }},
		{"first custom object accepted", func(s started) time.Duration { return s.created }},
	} {
		of := func(name string) time.Duration { return medianOf(all[name], event.of) }
		_, _ = fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", event.name, seconds(of(ours)), seconds(of(plain)), ratio(of(ours), of(plain)),
			seconds(of(stock)), seconds(of(childrens)), ratio(of(childrens), of(ours)))
	}
}

func medianOf[T any](all []T, of func(T) time.Duration) time.Duration {
	var times []time.Duration
	for _, one := range all {
		times = append(times, of(one))
	}
	return measure.Median(times)
}

func seconds(d time.Duration) string {
	if d == 0 {
		return "not measured"
	}
	return fmt.Sprintf("%.3f s", d.Seconds())
}

// ratio is how many times b goes into a.
func ratio(a, b time.Duration) string {
	if a == 0 || b == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2f×", a.Seconds()/b.Seconds())
}
