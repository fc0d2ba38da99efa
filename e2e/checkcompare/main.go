// SPDX-License-Identifier: Apache-2.0

// Command checkcompare holds "crdctl check compat" to other programs that compare CRDs, crdify and crd-schema-checker, and all three to objects:
// it draws changes of CRDs from the history of public repositories, has each program judge them, and has the API server's code write objects
// under both sides. With -kubeconfig, an API server with stored objects does the same.
//
// It fetches and builds nothing: the clones and the programs are given. docs/check-compare.md has what came of it.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintln(os.Stderr, "checkcompare:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	f := flag.NewFlagSet("checkcompare", flag.ContinueOnError)
	repos := f.String("repos", "", "the directory of the clones, with or without work trees")
	n := f.Int("changes", 60, "how many changes are drawn, in turn one of each repository")
	seed := f.Uint64("seed", 18, "of the drawing")
	kubeconfig := f.String("kubeconfig", "", "of an API server that stores the objects; without it, only its code is asked")
	details := f.String("details", "", "a file for all that each program says of each change")
	programs := programs{}
	f.StringVar(&programs.crdctl, "crdctl", "bin/crdctl", "the program")
	f.StringVar(&programs.crdify, "crdify", "", "the program")
	f.StringVar(&programs.checker, "crd-schema-checker", "", "the program")
	if err := f.Parse(args); err != nil {
		return err
	}
	for _, p := range []*string{&programs.crdctl, &programs.crdify, &programs.checker} {
		if *p, err = filepath.Abs(*p); err != nil {
			return err
		}
	}
	changes, err := draw(ctx, *repos, *n, *seed)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "checkcompare-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for i, c := range changes {
		_, _ = fmt.Fprintf(progress, "%d of %d: %s %.9s %s\n", i+1, len(changes), c.repo, c.commit, c.file)
		err := cmp.Or(programs.judge(ctx, dir, c), c.tryObjects(ctx))
		if err == nil && *kubeconfig != "" {
			err = c.tryServer(ctx, *kubeconfig)
		}
		if err != nil {
			return fmt.Errorf("%s %s %s: %w", c.repo, c.commit, c.file, err)
		}
	}
	if *details != "" {
		var text []byte
		for i, c := range changes {
			text = append(text, c.details(i+1)...)
		}
		if err := os.WriteFile(*details, text, 0o600); err != nil {
			return err
		}
	}
	return table(out, changes)
}
