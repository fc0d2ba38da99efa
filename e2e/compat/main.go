// SPDX-License-Identifier: Apache-2.0

// Command compat holds "crdctl verify" to the truth about public repositories: what the controller-gen that each of them pins makes,
// run by the repository's own calls in a clean clone, was compared with what is checked in, file by file; testdata has the
// answers. "make compat REPOS=DIR" runs it on checkouts in DIR.
//
// It builds and runs nothing of these repositories, and fetches none.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "compat:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("compat", flag.ContinueOnError)
	repos := f.String("repos", "", "the directory of the checkouts, each named as its repository without the owner")
	crdctl := f.String("crdctl", "bin/crdctl", "the program to judge")
	only := f.String("run", "", "judge the tables whose names begin with this")
	edited := f.Bool("edited", false, "add a field to a type of each repository first, and remove it afterwards")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *repos == "" {
		return errors.New("name the directory of the checkouts; run \"make compat REPOS=DIR\"")
	}
	program, err := filepath.Abs(*crdctl)
	if err != nil {
		return err
	}
	tables, err := readTables()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(out, "| repository | commit | detected | exit | compared | not compared | right | undetermined | false fresh | false stale | others | seconds |\n|---|---|---|---|---|---|---|---|---|---|---|---|")
	var all score
	var wrong []string
	judged := 0
	for _, t := range tables {
		if !strings.HasPrefix(t.Name, *only) {
			continue
		}
		judged++
		a, err := verify(ctx, program, *repos, t, *edited)
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		s := judge(t, a, *edited)
		all.add(s)
		_, _ = fmt.Fprintf(out, "| %s | %.9s | %s | %d | %d | %d | %d of %d | %d | %d | %d | %d | %.2f |\n", t.Name, t.Commit, a.detected(), a.Exit, len(a.Compared), a.left(),
			s.Right, s.Files, s.Undetermined, len(s.FalseFresh), len(s.FalseStale), len(s.Outside), a.Took.Seconds())
		wrong = append(wrong, s.lines(t.Name)...)
		if a.Exit == 2 {
			wrong = append(wrong, t.Name+": "+a.Trouble)
		}
	}
	if judged == 0 {
		return fmt.Errorf("no table begins with %q", *only)
	}
	_, _ = fmt.Fprintf(out, "\n%d of %d files right (%.1f %%), %d undetermined, %d false fresh, %d false stale\n", all.Right, all.Files,
		100*float64(all.Right)/float64(max(1, all.Files)), all.Undetermined, len(all.FalseFresh), len(all.FalseStale))
	for _, line := range wrong {
		_, _ = fmt.Fprintln(out, line)
	}
	if len(all.FalseFresh)+len(all.FalseStale) > 0 {
		return errors.New("there are false verdicts")
	}
	return nil
}
