// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/crdctl/crdctl/internal/check/cluster"
	"github.com/crdctl/crdctl/internal/check/doctor"
	"github.com/crdctl/crdctl/internal/check/doctor/machine"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/report"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
)

type doctorOptions struct {
	*options
	ruleFlags
	deep bool
	// cluster reports whether the CRDs are compared with those of a cluster, and kubeconfig and context which.
	cluster             bool
	kubeconfig, context string
}

func newDoctor(s ui.Streams, shared *options) *cobra.Command {
	o := doctorOptions{options: shared}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Find why a controller does not compile, start, or do what it should",
		Long: `Doctor looks for the causes of symptoms that controllers show: what does not compile, is forbidden or refused, or happens without an
error. Each finding has the cause with its place, the symptom, and what fixes it. It reads go.mod, YAML files and Go files, and checks the
machine: the versions of Go and of kubectl in PATH, the sizes of caches, free disk, inotify limits, ports, and state directories that a
killed run left. It writes nothing. It needs neither ` + config.FileName + ` nor CRDs. Outside of
modules, and of repositories with CRDs, it checks only the machine.

With --deep it also reads the Go code of controllers with its types: what they ask the API server for and no role grants, owner references that
are refused, and changes of objects in a cache. With --against-cluster it compares the CRDs with those of a cluster, which is only read.

"crdctl doctor --list" prints its rules. Those of "crdctl check" are findings here, too, if they are causes of symptoms.

Exit codes: 0 if there is no finding of the severity that --fail-on names, or of a higher one; 1 if there is; 2 if a part could not be
determined.`,
		Example: "  crdctl doctor\n  crdctl doctor --deep --fail-on warning\n  crdctl doctor --against-cluster --context staging\n  crdctl doctor --explain kubernetes-minor-skew",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runDoctor(c.Context(), s, o) },
	}
	c.Flags().BoolVar(&o.deep, "deep", false, "also judge what the Go code of controllers does, by its types")
	c.Flags().BoolVar(&o.cluster, "against-cluster", false, "compare with the CRDs of a cluster, which is only read")
	c.Flags().StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig `file` of the cluster, with --against-cluster")
	c.Flags().StringVar(&o.context, "context", "", "`context` of the kubeconfig, with --against-cluster (default: the current one)")
	o.register(c)
	return c
}

func runDoctor(ctx context.Context, s ui.Streams, o doctorOptions) error {
	if done, err := o.explained(s, []rule.Family{rule.Doctor}); done {
		return err
	}
	failOn, err := o.threshold()
	if err != nil {
		return err
	}
	if !o.cluster && (o.kubeconfig != "" || o.context != "") {
		return ui.UsageErrorf("--kubeconfig and --context require --against-cluster")
	}
	base, err := realPath(o.dir)
	if err != nil {
		return fmt.Errorf("%w; give the project's directory with --dir", err)
	}
	shown, done := s.Report().Work(ctx, "examining")
	r, undetermined := examine(shown, base, o)
	if done(); ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := printDoctor(s, o.output, r); err != nil {
		return err
	}
	return cmp.Or(undetermined, verdict(&r, failOn))
}

// examine looks at the project that a directory is in, and at the machine. With an error, the report has what could be determined.
func examine(ctx context.Context, base string, o doctorOptions) (report.Check, error) {
	options := doctor.Options{Kubernetes: codegen.Version, Deep: o.deep}
	r := report.Check{Command: "doctor", Prefix: report.RepositoryPrefix(base), Version: Version()}
	var problems []error
	options.Root, options.Project, r.Notes, problems = projectOf(base, o)
	if options.Root == "" {
		r.Notes = append(r.Notes, fmt.Sprintf("no %s and no go.mod in %s or any parent directory; only the machine is checked", config.FileName, base))
	} else {
		r.Prefix = report.RepositoryPrefix(options.Root)
	}
	m := machine.Read(ctx, options.Root)
	options.Machine = &m
	if o.cluster {
		c, err := cluster.Open(o.kubeconfig, o.context)
		if err != nil {
			problems = append(problems, fmt.Errorf("--against-cluster: %w", err))
		} else {
			options.Cluster = c
		}
	}
	found, err := doctor.Check(ctx, options)
	undetermined := errors.Join(append(problems, err)...)
	if undetermined != nil {
		r.Undetermined = undetermined.Error()
	}
	r.Findings, r.Judged = found.Findings, map[rule.Family]string{rule.Doctor: found.Judged}
	if o.output == "text" || o.output == "json" {
		r.Notes = append(r.Notes, m.Facts()...)
	}
	return r, undetermined
}

// projectOf is the root of the project that a directory is in, and what "crdctl check" judges there. Without crdctl.yaml, and if nothing is
// generated, the root is that of the module, or else a repository with CRDs. It is empty where there is no project. A note names CRDs that are not judged.
func projectOf(base string, o doctorOptions) (root string, p *project.Project, notes []string, problems []error) {
	settings := &config.Project{}
	var dirs []string
	at, err := newSettings(nil).project(o.options)
	switch {
	case at != nil && at.settings != nil:
		root, settings = at.root, at.settings
	case workspace.Above(base, config.FileName) != "" && !isNothing(err):
		root, problems = workspace.Above(base, config.FileName), append(problems, err)
	default:
		root = workspace.Above(base, "go.mod")
		if err != nil && !isNothing(err) {
			problems = append(problems, err)
		} else if dirs = o.dirsWithCRDs(); len(dirs) > 0 {
			root = cmp.Or(root, base) // a chart, or a controller in another language
			if len(dirs) == 1 {
				settings = &config.Project{CRDs: config.CRDs{Dir: relativeTo(root, base, dirs[0])}}
			}
		}
	}
	if root == "" {
		return "", nil, nil, nil
	}
	p, err = project.Open(root, settings)
	if err != nil {
		return root, nil, nil, append(problems, err)
	}
	if len(dirs) > 1 && len(p.CRDs) == 0 {
		notes = append(notes, "no CRD is judged, as several directories have some; \"crdctl check --crd-dir\" judges those of one: "+strings.Join(dirs, ", "))
	}
	return root, p, notes, problems
}

// printDoctor prints the answer: all of it, or none.
func printDoctor(s ui.Streams, form string, r report.Check) error {
	if form != "text" {
		return printCheck(s, form, r, rule.Note)
	}
	s.Report().Lines(r.Notes)
	for _, f := range r.Findings {
		if err := s.Printf("%s\n", report.Text(f)); err != nil {
			return errors.Join(errors.New("write the findings"), err)
		}
	}
	if len(r.Findings) == 0 {
		return s.Printf("%s\n", r.Summary())
	}
	s.Report().Printf("%s", r.Summary())
	return nil
}
