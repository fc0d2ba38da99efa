// SPDX-License-Identifier: Apache-2.0

// Command checkrepos runs "crdctl check" on checkouts of public repositories: does it end without trouble, what does each rule find, and are
// findings right? "make check-repos REPOS=DIR" prints the tables of docs/check-repos.md, and the findings that were drawn to be judged by
// reading.
//
// It builds and runs nothing of these repositories, and fetches none.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "checkrepos:", err)
		os.Exit(1)
	}
}

// finding is what is read of the report.
type finding struct {
	Rule, Family, Severity, File, Message, Fix string
	Line, Column                               int
}

// answer is what the check said of a repository.
type answer struct {
	name, commit string
	exit         int
	took         time.Duration // of processors: it depends little on what else they do
	trouble      string
	Findings     []finding
	Judged       map[string]string
}

// drawing is which findings are drawn to be judged.
type drawing struct {
	n, each  int
	severity string
}

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("checkrepos", flag.ContinueOnError)
	repos := f.String("repos", "", "the directory of the checkouts")
	crdctl := f.String("crdctl", "bin/crdctl", "the program")
	var d drawing
	f.IntVar(&d.n, "draw", 40, "how many findings are drawn")
	f.IntVar(&d.each, "each", 3, "how many of one repository at most")
	f.StringVar(&d.severity, "severity", "warning", "the lowest severity that is drawn: warning or error")
	seeds := f.String("seeds", "18,2026", "of the drawings")
	if err := f.Parse(args); err != nil {
		return err
	}
	if d.severity != "warning" && d.severity != "error" {
		return fmt.Errorf("-severity must be warning or error, got %q", d.severity)
	}
	program, err := filepath.Abs(*crdctl)
	if err != nil {
		return err
	}
	dirs, err := filepath.Glob(filepath.Join(*repos, "*", ".git"))
	if err != nil || len(dirs) == 0 {
		return cmp.Or(err, errors.New("no checkout found; run \"make check-repos REPOS=DIR\""))
	}
	var all []answer
	for _, dir := range dirs {
		a, err := check(ctx, program, filepath.Dir(dir))
		if err != nil {
			return err
		}
		all = append(all, a)
	}
	repositories(out, all)
	rules(out, all)
	for text := range strings.SplitSeq(*seeds, ",") {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return fmt.Errorf("-seeds: %w", err)
		}
		_, _ = fmt.Fprintf(out, "seed %d\n", seed)
		d.print(out, all, seed)
	}
	for _, a := range all {
		if strings.Contains(a.trouble, "panic") || strings.Contains(a.trouble, "goroutine ") {
			return fmt.Errorf("%s: %s", a.name, a.trouble)
		}
	}
	return nil
}

// check runs the program on a checkout.
func check(ctx context.Context, program, dir string) (answer, error) {
	a := answer{name: filepath.Base(dir)}
	commit, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return a, fmt.Errorf("%s: %w", dir, err)
	}
	a.commit = strings.TrimSpace(string(commit))
	cmd := exec.CommandContext(ctx, program, "check", "-C", dir, "-o", "json")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	a.trouble = strings.TrimSpace(stderr.String())
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		a.exit = ended.ExitCode()
	} else if err != nil {
		return a, err
	}
	a.took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if len(output) > 0 {
		if err := json.Unmarshal(output, &a); err != nil {
			return a, fmt.Errorf("%s: %w", a.name, err)
		}
	}
	return a, nil
}

// repositories prints what was judged in each repository, and how many findings there are.
func repositories(out io.Writer, all []answer) {
	_, _ = fmt.Fprintln(out, "| repository | commit | judged | exit | errors | warnings | notes | CPU seconds |\n|---|---|---|---|---|---|---|---|")
	crds := 0
	for _, a := range all {
		n := map[string]int{}
		for _, f := range a.Findings {
			n[f.Severity]++
		}
		var judged []string
		for _, family := range []string{"preflight", "lint", "samples"} {
			if a.Judged[family] != "" {
				judged = append(judged, a.Judged[family])
			}
		}
		own := 0
		_, _ = fmt.Sscanf(a.Judged["preflight"], "%d", &own) // 0 where it was not judged
		crds += own
		_, _ = fmt.Fprintf(out, "| %s | %.9s | %s | %d | %d | %d | %d | %.1f |\n", a.name, a.commit, strings.Join(judged, ", "), a.exit, n["error"], n["warning"], n["note"], a.took.Seconds())
	}
	_, _ = fmt.Fprintf(out, "\n%d CRDs in %d repositories\n\n", crds, len(all))
	for _, a := range all {
		if a.exit == 2 {
			_, _ = fmt.Fprintf(out, "%s: %s\n", a.name, a.trouble)
		}
	}
}

// rules prints how often each rule found something.
func rules(out io.Writer, all []answer) {
	found, in := map[string]int{}, map[string]map[string]bool{}
	for _, a := range all {
		for _, f := range a.Findings {
			key := f.Family + " | " + f.Rule
			found[key]++
			if in[key] == nil {
				in[key] = map[string]bool{}
			}
			in[key][a.name] = true
		}
	}
	_, _ = fmt.Fprintln(out, "| family | rule | findings | repositories |\n|---|---|---|---|")
	for _, key := range slices.Sorted(maps.Keys(found)) {
		_, _ = fmt.Fprintf(out, "| %s | %d | %d |\n", key, found[key], len(in[key]))
	}
	_, _ = fmt.Fprintln(out)
}

// print prints findings to be judged by reading, at most so many of each repository. Which ones follows from the seed and from each finding
// alone: when one is gone, since its cause was corrected, the others stay, and only what takes its place is left to judge.
func (d drawing) print(out io.Writer, all []answer, seed uint64) {
	order := func(parts ...any) uint64 {
		h := fnv.New64a()
		_, _ = fmt.Fprint(h, seed, parts)
		return rand.New(rand.NewPCG(seed, h.Sum64())).Uint64()
	}
	type line struct {
		place uint64
		text  string
	}
	var lines []line
	for _, a := range all {
		judged := slices.DeleteFunc(slices.Clone(a.Findings), func(f finding) bool {
			return f.Severity != "error" && (d.severity == "error" || f.Severity == "note")
		})
		slices.SortStableFunc(judged, func(x, y finding) int { return cmp.Compare(order(a.name, x), order(a.name, y)) })
		for i, f := range judged[:min(d.each, len(judged))] {
			lines = append(lines, line{order(a.name, i), fmt.Sprintf("%s\t%s:%d:%d\t%s\t%s\t%s\n", a.name, f.File, f.Line, f.Column, f.Severity, f.Rule, f.Message)})
		}
	}
	slices.SortStableFunc(lines, func(x, y line) int { return cmp.Compare(x.place, y.place) })
	for _, l := range lines[:min(d.n, len(lines))] {
		_, _ = io.WriteString(out, l.text)
	}
}
