// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/report"
	"github.com/crdctl/crdctl/internal/scaffold/change"
	"github.com/crdctl/crdctl/internal/startup/trim"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/ui"
)

type generateOptions struct {
	*options
	settings     *settings
	dryRun       bool
	noCache      bool
	updateReport bool
	only         []string
	watch        bool
	output       string
	known        known
}

func newGenerate(s ui.Streams, shared *options) *cobra.Command {
	o := generateOptions{options: shared}
	c := &cobra.Command{
		Use:   "generate [NAME…]",
		Short: "Generate code and CRDs, and write the files that changed",
		Long: `Generate runs the code generators (deep copies, clients and fakes, listers, informers, apply configurations)
and the CRD generator in this process. It loads the packages once, and writes the files that differ.

Unchanged files are not touched, stale generated files are removed, and files that were not generated are never
overwritten. If anything fails, nothing is written.

With --watch it keeps running, and generates again when an API package, the settings, the header or go.mod change, until
Ctrl-C. An error is reported and does not end it.`,
		Example:   "  crdctl generate\n  crdctl generate deepcopy crd\n  crdctl generate --dry-run\n  crdctl generate --watch\n  crdctl generate --api-dir pkg/apis --client-dir pkg/client --with-watch --boilerplate hack/boilerplate.go.txt",
		Args:      generatorNames,
		ValidArgs: gen.Names,
		RunE: func(c *cobra.Command, args []string) error {
			o.only = shortNames(args)
			return runGenerate(c.Context(), s, &o)
		},
	}
	o.settings = settingsFlags(c.Flags())
	c.Flags().BoolVar(&o.updateReport, "update-report", false, "accept the current violations of the API rules")
	c.Flags().BoolVar(&o.noCache, "no-cache", false, "ignore the cache and generate everything again")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "list the files that would be written and removed")
	c.Flags().StringVarP(&o.output, "output", "o", "text", "`format` of the list of changes: text or json")
	c.Flags().BoolVar(&o.watch, "watch", false, "generate now and after every change, until Ctrl-C")
	c.Flags().StringVar(&o.known.file, "known-notes", "", "`file` with the notes that are known, and are not printed again")
	c.Flags().Lookup("known-notes").Hidden = true // for run, which generates after a save
	return c
}

func runGenerate(ctx context.Context, s ui.Streams, o *generateOptions) error {
	switch {
	case o.output != "text" && o.output != "json":
		return ui.UsageErrorf("--output %q is not text or json", o.output)
	case o.watch && o.output == "json":
		return ui.UsageErrorf("--watch cannot be used with -o json; omit one of them")
	}
	if o.watch {
		return watchGenerate(ctx, s, o)
	}
	_, err := generateOnce(ctx, s, o)
	return err
}

// generateOnce brings the files up to date and says what that took.
func generateOnce(ctx context.Context, s ui.Streams, o *generateOptions) (_ *generation, err error) {
	start := time.Now()
	lock, err := o.lock(ctx, s.Err)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if base, err := realPath(o.dir); err == nil && !o.dryRun {
		root, _ := config.Find(base) // where there is none, the directory itself is the root
		recovered(s, cmp.Or(root, base))
	}
	how := gen.Options{Only: o.only, UpdateReport: o.updateReport}
	if !o.noCache {
		how.Results = cache.Open()
	}
	shown, done := s.Report().Work(ctx, "generating")
	g, err := o.generated(shown, o.settings, how)
	if done(); err != nil {
		return nil, err
	}
	var notes []string
	for _, line := range tree.Lines(g.notCompared) {
		notes = append(notes, "not generated: "+line)
	}
	s.Report().Lines(o.known.news(append(notes, g.notes...)))
	s.Report().Warn(g.outdated)
	if !o.dryRun {
		if err := tree.Write(g.root, g.changes); err != nil {
			return nil, err
		}
	}
	if o.output == "json" {
		data, err := g.report().GenerateJSON(o.dryRun)
		if err == nil {
			_, err = s.Out.Write(data)
		}
		if err != nil {
			return nil, fmt.Errorf("print the changes: %w", err)
		}
	} else {
		printChanges(s.Out, g.changes, o.dryRun)
	}
	if g.incomplete != nil {
		return g, g.incomplete
	}
	s.Report().Printf("%s", g.summary(o.dryRun, time.Since(start)))
	return g, nil
}

// generation is what generate and verify have in common: all files in memory, and how the disk differs.
type generation struct {
	at    *located
	root  string
	files int
	// compared are the paths of the files that the generators make, and makers their generators.
	compared []string
	makers   map[string]string
	changes  []tree.Change
	notes    []string
	// notCompared is what other tools made, where that was looked for: in a project without settings of its own; and the files that
	// scripts change and that cannot be judged.
	notCompared []tree.NotCompared
	// incomplete is the error of generated code that is written though it needs functions of the user's to compile.
	incomplete error
	// unavailable is the error of files that were to be compared, and cannot be made here.
	unavailable error
	// uncompiled is the error of code that does not compile in a project without settings, where a comparison was asked for: these may be
	// guessed wrong. Its files are not compared, unless they are as they are checked in.
	uncompiled error
	// outdated says why the generated code does not compile with the modules that go.mod requires, or is "". The files are right,
	// go.mod is not: generate and verify warn, and neither says that anything is up to date.
	outdated string
}

// report is what was found, for printing.
func (g *generation) report() report.Report {
	return report.Report{
		Files: g.files, Compared: g.compared, Makers: g.makers, Changes: g.changes, Notes: g.notes, NotCompared: g.notCompared,
		Outdated: g.outdated, Prefix: report.RepositoryPrefix(g.root), Version: Version(),
	}
}

// generated makes all files, compares them with those on disk, and type-checks them.
func (o *options) generated(ctx context.Context, f *settings, how gen.Options) (*generation, error) {
	at, err := f.project(o)
	if err != nil {
		return nil, err
	}
	if how.UpdateReport && at.settings.OpenAPI.Report == "" {
		return nil, errors.New("--update-report has no effect without a report; name its file with --openapi-report, or in crdctl.yaml with openapi.report")
	}
	how.Discovered = at.found != nil
	result, notes, err := at.generate(ctx, how)
	if err != nil {
		return nil, err
	}
	g := &generation{at: at, root: at.root, compared: result.Compared(), makers: result.Makers(), notes: append(notes, result.Notes...), notCompared: result.NotCompared}
	g.files = len(g.compared)
	if err := g.compare(result, how); err != nil {
		return nil, err
	}
	if result.Undetermined != nil {
		g.unavailable = fmt.Errorf("some files could not be compared, since what makes them is unavailable here or fails; %s up to date", text.Count(g.files, "other file is", "other files are"))
	}
	notes, err = result.TypeCheck(ctx, g.changes)
	g.notes = append(g.notes, notes...)
	if uncompiled, ok := errors.AsType[*gen.CompileError](err); ok {
		err = g.judge(err, uncompiled, how.Partial)
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// generate makes the files of a project, and tells what was found and which generators made them.
func (at *located) generate(ctx context.Context, how gen.Options) (result *gen.Result, notes []string, err error) {
	if at.found != nil {
		notes = discovered(at.found)
	}
	trim.Program()
	how.Year = time.Now().UTC().Year()
	result, err = gen.Generate(ctx, at.root, at.settings, how)
	if at.found != nil && errors.Is(err, controllergen.ErrUnknownVersion) {
		return nil, nil, errors.New(strings.Join(append([]string{err.Error()}, notes[1:]...), "\n  ")) // which tell why
	} else if err != nil {
		return nil, nil, err
	}
	told := at.found != nil && at.found.Version.Version == result.Generators.Version // on the line of what was found
	if result.Generators.Source != "" && !result.Generators.BuiltIn() && !told {
		notes = append(notes, "generated by "+result.Generators.String())
	}
	if len(how.Only) == 0 {
		err = change.AddWiring(at.root, at.settings, result.Tree)
	}
	return result, notes, err
}

// compare finds how the disk differs. It is an error if there is nothing to compare.
func (g *generation) compare(result *gen.Result, how gen.Options) (err error) {
	var inTheWay []*tree.InTheWayError
	if how.Partial {
		g.changes, inTheWay, err = result.Tree.DiffOthers(g.root)
	} else {
		g.changes, err = result.Tree.Diff(g.root)
	}
	if err == nil {
		err = g.leaveInTheWay(inTheWay)
	}
	if err != nil {
		return err
	}
	found, settings := g.at.found, g.at.settings
	if found != nil {
		g.notCompared = tree.Instead(g.notCompared, found.NotCompared)
		if len(how.Only) == 0 {
			g.notCompared = append(g.notCompared, g.unaccounted()...)
		}
	}
	switch {
	case g.files > 0 || len(g.changes) > 0:
		return nil
	case len(how.Only) > 0 && len(g.notCompared) == 0 && len(settings.ControllerGen.Calls) > 0:
		return noneOf(how.Only, settings.ControllerGen.Calls)
	case found != nil || len(settings.ControllerGen.Calls) > 0:
		// What was asked for and what was found have nothing in common: that is not a success.
		return &detect.NothingError{Found: g.notCompared, Failed: len(settings.ControllerGen.Calls) > 0 && len(g.notCompared) > 0}
	case len(how.Only) == 0 && result.Undetermined == nil:
		return fmt.Errorf("nothing is generated or compared: with the settings in %s, the tags in %s ask for no file; set clients, crds or generators, or correct apis",
			config.FileName, strings.Join(settings.APIs, ", "))
	}
	return nil
}

// judge decides what the error of code that does not compile means: for what was guessed, for go.mod, or for code that the user has to write. It
// returns the error where there is no more to say.
func (g *generation) judge(err error, uncompiled *gen.CompileError, partial bool) error {
	switch guessed := partial && g.at.found != nil && len(uncompiled.Generators) > 0; {
	case uncompiled.Cause == gen.Outdated:
		g.outdated = err.Error()
	case guessed && g.unchanged(uncompiled):
		g.uncompiled = err
		g.notes = append(g.notes, "what is generated does not compile, and is as it is checked in: "+uncompiled.First)
	case guessed:
		g.uncompiled = err
		g.leave(uncompiled)
	case uncompiled.Cause == gen.Incomplete:
		g.incomplete = err
	case g.at.found != nil && len(uncompiled.Generators) > 0:
		return g.withOthers(err, uncompiled)
	default:
		return err
	}
	return nil
}

// discovered are the settings that were found, in one line, and what was not, in one line each.
func discovered(found *detect.Found) []string {
	notes := []string{found.Line()}
	for _, u := range found.Unread {
		if !u.Note { // what changes no output is for adopt to tell
			notes = append(notes, u.String())
		}
	}
	return notes
}

func (g *generation) summary(dryRun bool, took time.Duration) string {
	in := ""
	if shown := fmt.Sprintf(" in %.1fs", took.Seconds()); shown != " in 0.0s" {
		in = shown
	}
	if len(g.changes) == 0 && g.outdated == "" {
		fresh := text.Count(g.files, "generated file is", "generated files are") + " up to date"
		if in != "" {
			fresh += "; checked" + in
		}
		return fresh
	}
	return tally(g.changes, g.files, dryRun) + "; done" + in
}

// shortNames lets upstream's names of generators stand for the short ones.
func shortNames(args []string) []string {
	var names []string
	for _, arg := range args {
		names = append(names, strings.TrimSuffix(arg, "-gen"))
	}
	return names
}

// generatorNames rejects arguments that are not names of generators.
func generatorNames(_ *cobra.Command, args []string) error {
	for _, name := range shortNames(args) {
		if !slices.Contains(gen.Names, name) {
			if near := text.DidYouMean(name, gen.Names); near != "" {
				return ui.UsageErrorf("%q is not a generator; did you mean %q?", name, near)
			}
			return ui.UsageErrorf("%q is not a generator; use one of %s", name, strings.Join(gen.Names, ", "))
		}
	}
	return nil
}
