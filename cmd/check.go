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
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/check"
	"github.com/crdctl/crdctl/internal/check/cluster"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/report"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
)

type checkOptions struct {
	*options
	families []rule.Family
	against  string
	objects  string
	// cluster reports whether compat compares with a cluster, and kubeconfig and context which.
	cluster             bool
	kubeconfig, context string
	ruleFlags
	crds   string
	fix    bool
	dryRun bool
}

func newCheck(s ui.Streams, shared *options) *cobra.Command {
	o := checkOptions{options: shared}
	c := &cobra.Command{
		Use:   "check [FAMILY…]",
		Short: "Check that the API is well designed, safe to change, and accepted by the API server",
		Long: `Check judges the CRDs and the Go types of the project. Without --fix it writes nothing, and it needs no cluster. It reads the CRDs on disk, and
does not report whether they are older than the types: "crdctl verify --with-check" does both. Its rules are in families:

  preflight  what the API server would refuse, and what it accepts and ignores
  compat     what a change breaks: stored objects, manifests, clients
  lint       conventions of Kubernetes APIs
  samples    sample objects that are not valid

Compat compares with an older revision: by default the commit at which the branch left the default branch. On that branch it is HEAD, or the commit
before it if no file changed since. It is read from git's objects; the working tree is not touched. With --against-cluster it compares with the CRDs
of a cluster, and tries the objects that are stored there.

By default, all families that apply to the project run. "crdctl check --list" prints the rules.

With --fix it adds and removes those markers in Go types whose fix is certain and changes no schema, and then reports what is left. With
--fix --dry-run it prints these changes as a patch instead of the findings, and exits with 0 whether or not there are any.

Exit codes: 0 if there is no finding of the severity that --fail-on names, or of a higher one; 1 if there is; 2 if it could not be
determined.`,
		Example:   "  crdctl check\n  crdctl check preflight -o github\n  crdctl check compat --against v1.2.0\n  crdctl check --explain column-path",
		ValidArgs: familyNames(),
		Args: func(_ *cobra.Command, args []string) error {
			for _, arg := range args {
				if !slices.Contains(familyNames(), arg) {
					return ui.UsageErrorf("%q is not a family of rules; use one of %s, and --crd-dir for a directory of CRDs", arg, strings.Join(familyNames(), ", "))
				}
				o.families = append(o.families, rule.Family(arg))
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			for _, name := range []string{"against", "objects"} { // an empty variable of a CI system must not mean the default
				if f := c.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
					return ui.UsageErrorf("--%s is empty; name a revision, directory or file, or omit the flag", name)
				}
			}
			return runCheck(c.Context(), s, o)
		},
	}
	c.Flags().StringVar(&o.against, "against", "", "git `revision`, directory or file with the older CRDs to compare with")
	c.Flags().BoolVar(&o.cluster, "against-cluster", false, "compare with the CRDs and the objects of a cluster, which is only read")
	c.Flags().StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig `file` of the cluster, with --against-cluster")
	c.Flags().StringVar(&o.context, "context", "", "`context` of the kubeconfig, with --against-cluster (default: the current one)")
	c.Flags().StringVar(&o.objects, "objects", "", "`directory` or file with stored objects that compat tries with the new CRDs")
	c.Flags().StringVar(&o.crds, "crd-dir", "", "`directory` of the CRDs, where there are no settings or Go types")
	c.Flags().BoolVar(&o.fix, "fix", false, "fix in the Go types what is certain and changes no schema")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "with --fix: print the changes as a patch without making them")
	o.register(c)
	return c
}

func familyNames() (names []string) {
	for _, f := range rule.Families {
		names = append(names, string(f))
	}
	return names
}

func runCheck(ctx context.Context, s ui.Streams, o checkOptions) (err error) {
	families := o.families
	if len(families) == 0 {
		families = rule.Families
	}
	if done, err := o.explained(s, families); done {
		return err
	}
	failOn, err := o.threshold()
	if err != nil {
		return err
	}
	if o.dryRun && !o.fix {
		return ui.UsageErrorf("--dry-run is for --fix; add it, or omit --dry-run")
	}
	switch {
	case o.fix && !slices.Contains(families, rule.Lint):
		return ui.UsageErrorf("--fix corrects only findings of lint; name that family as well, or omit --fix")
	case o.dryRun && o.output != "text":
		return ui.UsageErrorf("--fix --dry-run prints a patch, and cannot be used with --output %s; omit one of them", o.output)
	case o.cluster && (o.against != "" || o.objects != ""):
		return ui.UsageErrorf("--against-cluster cannot be used with --against or --objects; use one or the other")
	case !o.cluster && (o.kubeconfig != "" || o.context != ""):
		return ui.UsageErrorf("--kubeconfig and --context require --against-cluster")
	}
	at, err := o.withCRDs(s, o.crds)
	if err != nil {
		return err
	}
	if o.fix && !o.dryRun {
		lock, lockErr := o.lock(ctx, s.Err)
		if lockErr != nil {
			return lockErr
		}
		defer func() { err = errors.Join(err, lock.Unlock()) }()
	}
	shown, done := s.Report().Work(ctx, "checking")
	r, undetermined := checked(shown, at, o)
	if done(); r == nil {
		return undetermined
	}
	if o.fix && undetermined == nil {
		fixed, err := fixFindings(s, at.root, r.Findings, o.dryRun)
		if err != nil || o.dryRun {
			return err
		}
		if fixed { // lines have moved
			if r, undetermined = checked(ctx, at, o); r == nil {
				return undetermined
			}
		}
	}
	if err := printCheck(s, o.output, *r, failOn); err != nil {
		return err
	}
	return cmp.Or(undetermined, verdict(r, failOn))
}

// verdict is the answer no for a finding of the severity, or of a higher one.
func verdict(r *report.Check, failOn rule.Severity) error {
	if slices.ContainsFunc(r.Findings, func(f rule.Finding) bool { return f.Severity >= failOn }) {
		return ui.ErrNo
	}
	return nil
}

// checked is what the check of a project found. Where there is no verdict on a part of it, there is an error as well; where there is none on
// anything, the report is nil, unless it is for a program.
func checked(ctx context.Context, at *located, o checkOptions) (*report.Check, error) {
	result, err := checkProject(ctx, at, o)
	if err != nil && (result == nil || len(result.Judged)+len(result.Findings) == 0) {
		if o.output == "text" || ctx.Err() != nil {
			return nil, err
		}
		if result == nil {
			result = &check.Result{Judged: map[rule.Family]string{}}
		}
	}
	r := &report.Check{
		Findings: result.Findings, Judged: result.Judged, Notes: result.Notes, Allowed: result.Allowed, Prefix: report.RepositoryPrefix(at.root), Version: Version(),
	}
	if err != nil {
		r.Undetermined = err.Error()
	}
	return r, err
}

func checkProject(ctx context.Context, at *located, o checkOptions) (*check.Result, error) {
	p, err := project.Open(at.root, at.settings)
	if p == nil {
		return nil, err
	}
	options := check.Options{Families: o.families}
	if o.cluster {
		if options.Cluster, err = cluster.Open(o.kubeconfig, o.context); err != nil {
			return nil, fmt.Errorf("--against-cluster: %w", err)
		}
	}
	if o.against != "" || o.objects != "" || len(o.families) == 0 || slices.Contains(o.families, rule.Compat) || slices.Contains(o.families, rule.Lint) {
		if options.Base, err = baseOf(ctx, at.root, o); err != nil {
			if o.against != "" || ctx.Err() != nil {
				return nil, err
			}
			options.NoBase = err
		} else {
			defer func() { _ = options.Base.Close() }()
		}
	}
	if o.objects != "" {
		if options.Base == nil {
			return nil, fmt.Errorf("--objects: there are no older CRDs to compare with: %w", options.NoBase)
		}
		if options.Objects, err = revision.OpenPath(o.dir, o.objects); err != nil {
			return nil, fmt.Errorf("--objects %s: %w", o.objects, err)
		}
		defer func() { _ = options.Objects.Close() }()
	}
	return check.Run(ctx, p, options)
}

// baseOf is the older state that the user named, or else the one that git knows.
func baseOf(ctx context.Context, root string, o checkOptions) (*revision.Base, error) {
	if o.against == "" {
		return revision.Default(ctx, root)
	}
	return revision.Open(ctx, root, o.dir, o.against)
}

// printCheck prints the answer: all of it, or none.
func printCheck(s ui.Streams, form string, r report.Check, failOn rule.Severity) error {
	var data []byte
	var err error
	switch form {
	case "json":
		data, err = r.JSON()
	case "sarif":
		data, err = r.SARIF()
	case "github":
		data = r.GitHub()
	default:
		return printFindings(s, r, failOn)
	}
	if err != nil {
		return err
	}
	if _, err := s.Out.Write(data); err != nil {
		return fmt.Errorf("write the findings: %w", err)
	}
	if form != "github" {
		s.Report().Printf("%s", r.Summary())
	}
	return nil
}

// printFindings prints the findings for people.
func printFindings(s ui.Streams, r report.Check, failOn rule.Severity) error {
	s.Report().Lines(r.Notes)
	if len(r.Findings) == 0 {
		_, err := fmt.Fprintln(s.Out, r.Summary())
		return err
	}
	shown, left := r.Shown(failOn)
	for _, told := range report.Texts(shown) {
		if _, err := fmt.Fprintln(s.Out, told); err != nil {
			return fmt.Errorf("write the findings: %w", err)
		}
	}
	s.Report().Lines(left)
	s.Report().Printf("%s", r.Summary())
	return nil
}

// listRules prints the rules of families.
func listRules(s ui.Streams, families []rule.Family) error {
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	for _, r := range rule.All() {
		if !slices.Contains(families, r.Family) {
			continue
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.ID, r.Family, r.Severity, r.Title)
	}
	return w.Flush()
}

func explainRule(c *cobra.Command, s ui.Streams, id string) error {
	r := rule.Find(id)
	if r == nil {
		hint := fmt.Sprintf("\"%s --list\" prints the rules", c.CommandPath())
		if near := text.DidYouMean(id, ruleIDs()); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return ui.UsageErrorf("no rule has the ID %q; %s", id, hint)
	}
	_, err := fmt.Fprintf(s.Out, "%s (%s)\n\n%s", r.ID, r.Family, r.Page)
	return err
}
