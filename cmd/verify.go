package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/results"
	"github.com/crdctl/crdctl/internal/tree"
)

func newVerify(s Streams, shared *options) *cobra.Command {
	var f *settings
	c := &cobra.Command{
		Use:   "verify",
		Short: "Tell whether the generated files are up to date; for CI",
		Long: `Verify makes all generated files in memory, as generate does, and compares them with the tree. It never writes.

Exit code 0: up to date. 1: not; the differences are on standard output as a patch that "git apply" takes.
2: it could not tell, and standard error says why.`,
		Example: "  crdctl verify\n  crdctl verify > stale.patch",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runVerify(c.Context(), s, shared, f) },
	}
	f = settingsFlags(c.Flags())
	return c
}

func runVerify(ctx context.Context, s Streams, o *options, f *settings) error {
	g, err := o.generated(ctx, s, f, gen.Options{Results: results.Open()})
	if err != nil {
		return err
	}
	if len(g.changes) == 0 {
		_, _ = fmt.Fprintf(s.Out, "%d generated files are up to date\n", g.files)
		return nil
	}
	paint := newPaint(s.Out, o.color)
	for _, c := range g.changes {
		_, _ = fmt.Fprint(s.Out, paint.diff(c.Patch()))
	}
	for _, c := range g.changes {
		_, _ = fmt.Fprintf(s.Err, "%s: %s\n", staleness[c.Op], c.Path)
	}
	_, _ = fmt.Fprintf(s.Err, "%s not up to date; run \"crdctl generate\"\n", plural(len(g.changes), "generated file is", "generated files are"))
	return errNo
}

// staleness is what a change that generate would make says about the file on disk.
var staleness = map[tree.Op]string{tree.Create: "missing", tree.Update: "stale", tree.Delete: "left over"}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
