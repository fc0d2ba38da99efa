package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/results"
	"github.com/crdctl/crdctl/internal/tree"
)

type generateOptions struct {
	*options
	settings     *settings
	dryRun       bool
	noCache      bool
	updateReport bool
	only         []string
	watch        bool
}

func newGenerate(s Streams, shared *options) *cobra.Command {
	o := generateOptions{options: shared}
	c := &cobra.Command{
		Use:   "generate [NAME…]",
		Short: "Run all generators that the API packages ask for, and write what changed",
		Long: `Generate runs the code generators (deep copies, clients with fakes, listers, informers, apply configurations)
and the CRD generator in this process, from one load of the packages, and then writes the files that differ.

Files that are equal are not touched, left-over generated files are removed, and files that the generators did not
write are never overwritten. If anything fails, nothing is written.

With --watch it goes on: it generates again whenever an API package, the settings, the header or go.mod change, until
Ctrl-C. What fails is said, and does not end it.`,
		Example:   "  crdctl generate\n  crdctl generate deepcopy crd\n  crdctl generate --dry-run\n  crdctl generate --watch\n  crdctl generate --api-dir pkg/apis --client-dir pkg/client --with-watch --boilerplate hack/boilerplate.go.txt",
		Args:      generatorNames,
		ValidArgs: gen.Names,
		RunE: func(c *cobra.Command, args []string) error {
			o.only = shortNames(args)
			return runGenerate(c.Context(), s, o)
		},
	}
	o.settings = settingsFlags(c.Flags())
	c.Flags().BoolVar(&o.updateReport, "update-report", false, "accept the violations of the API rules that there are")
	c.Flags().BoolVar(&o.noCache, "no-cache", false, "make everything anew; the files are the same")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "list what would be written and removed, and write nothing")
	c.Flags().BoolVar(&o.watch, "watch", false, "generate now and on every change, until Ctrl-C")
	return c
}

func runGenerate(ctx context.Context, s Streams, o generateOptions) error {
	if o.watch {
		return watchGenerate(ctx, s, o)
	}
	_, err := generateOnce(ctx, s, o)
	return err
}

// generateOnce brings the files up to date and says what that took.
func generateOnce(ctx context.Context, s Streams, o generateOptions) (*generation, error) {
	start := time.Now()
	how := gen.Options{Only: o.only, UpdateReport: o.updateReport}
	if !o.noCache {
		how.Results = results.Open()
	}
	g, err := o.generated(ctx, o.settings, how)
	if err != nil {
		return nil, err
	}
	printNotes(s.Err, g.notes)
	if !o.dryRun {
		if err := tree.Write(g.root, g.changes); err != nil {
			return nil, err
		}
	}
	printChanges(s.Out, g.changes, o.dryRun)
	_, _ = fmt.Fprintf(s.Err, "%s in %.1fs\n", g.summary(o.dryRun), time.Since(start).Seconds())
	return g, nil
}

// generation is what generate and verify have in common: all files in memory, and how the disk differs.
type generation struct {
	root    string
	files   int
	changes []tree.Change
	notes   []string
}

func (o *options) generated(ctx context.Context, f *settings, how gen.Options) (*generation, error) {
	root, p, err := f.project(o)
	if err != nil {
		return nil, err
	}
	how.Year = time.Now().UTC().Year()
	result, err := gen.Generate(ctx, root, p, how)
	if err != nil {
		return nil, err
	}
	changes, err := result.Tree.Diff(root)
	if err != nil {
		return nil, err
	}
	return &generation{root: root, files: result.Tree.Len(), changes: changes, notes: result.Notes}, nil
}

func printNotes(w io.Writer, notes []string) {
	for _, note := range notes {
		_, _ = fmt.Fprintln(w, note)
	}
}

func (g *generation) summary(dryRun bool) string {
	if len(g.changes) == 0 {
		return fmt.Sprintf("%d generated files are up to date; checked", g.files)
	}
	n := count(g.changes)
	verbs := "wrote %d, removed %d, left %d as they are;"
	if dryRun {
		verbs = "would write %d, remove %d, leave %d as they are;"
	}
	written := n[tree.Create] + n[tree.Update]
	return fmt.Sprintf(verbs+" done", written, n[tree.Delete], g.files-written)
}

func count(changes []tree.Change) map[tree.Op]int {
	n := map[tree.Op]int{}
	for _, c := range changes {
		n[c.Op]++
	}
	return n
}

// printChanges lists changes, one a line, for people and for scripts.
func printChanges(w io.Writer, changes []tree.Change, dryRun bool) {
	for _, c := range changes {
		op := string(c.Op)
		if !dryRun {
			op = map[tree.Op]string{tree.Create: "created", tree.Update: "updated", tree.Delete: "deleted"}[c.Op]
		}
		_, _ = fmt.Fprintf(w, "%s %s\n", op, c.Path)
	}
}

// shortNames lets upstream's names of generators stand for the short ones.
func shortNames(args []string) []string {
	var names []string
	for _, arg := range args {
		names = append(names, strings.TrimSuffix(arg, "-gen"))
	}
	return names
}

// generatorNames refuses arguments that are no generators.
func generatorNames(_ *cobra.Command, args []string) error {
	for _, name := range shortNames(args) {
		if !slices.Contains(gen.Names, name) {
			return usageError{fmt.Errorf("%q is no generator; there are %s", name, strings.Join(gen.Names, ", "))}
		}
	}
	return nil
}
