// SPDX-License-Identifier: Apache-2.0

// Package check judges the API of a project: whether it is well designed, safe to change, and whether the API server takes it.
//
// The families of rules are packages of their own; this one runs those that apply and puts their findings together. It prints nothing.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/internal/check/cluster"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/check/samples"
)

// Options say what is judged.
type Options struct {
	// Families are those that were asked for; none stands for all that apply.
	Families []rule.Family
	// Base is the older state to compare with; nil if there is none, and NoBase says why.
	Base   *revision.Base
	NoBase error
	// Objects have stored objects in all of their files; nil if there are none.
	Objects *revision.Base
	// Cluster is compared with instead of the base; nil if there is none.
	Cluster *cluster.Cluster
}

// Result is what was found.
type Result struct {
	Findings []rule.Finding
	// Judged says what each family looked at; see report.Check.
	Judged map[rule.Family]string
	Notes  []string
	// Allowed is how many findings markers suppress.
	Allowed int

	hidden   []rule.Finding // further findings, which are not reported
	baseline func() (*compat.Baseline, error)
}

// notApplicable is the error of a family that has nothing to judge. Its text says why.
type notApplicable string

func (e notApplicable) Error() string { return string(e) }

const noCRDs = notApplicable("no CustomResourceDefinition of the project was found; run \"crdctl generate\", or set crds.dir in crdctl.yaml")

// Run judges a project. A family that was asked for and has nothing to judge is an error; of the others, a note says why. With an error, the
// result has what the other families found.
func Run(ctx context.Context, p *project.Project, o Options) (*Result, error) {
	r := &Result{Judged: map[rule.Family]string{}, Notes: slices.Clone(p.Skipped)}
	r.baseline = sync.OnceValues(func() (*compat.Baseline, error) { return compat.Read(o.Base, p) })
	families := o.Families
	if len(families) == 0 {
		families = rule.Families
	}
	var problems problems
	for _, family := range families {
		run := runs[family]
		if run == nil {
			continue
		}
		found, judged, err := run.safely(ctx, p, o, r)
		r.Findings = append(r.Findings, found...)
		var not notApplicable
		switch {
		case errors.As(err, &not) && len(o.Families) == 0:
			r.Notes = append(r.Notes, fmt.Sprintf("%s was skipped: %s", family, not))
		case err != nil:
			problems.add(p.Root, string(family), err)
		default:
			r.Judged[family] = judged
		}
	}
	for _, broken := range p.Undecodable {
		if slices.Contains(families, rule.Preflight) {
			f := rule.New("refused-schema", broken.Place, broken.Name, "the API server refuses the CRD: %v", broken.Err)
			f.Fix = broken.Fix
			r.Findings = append(r.Findings, f)
			r.Notes = append(r.Notes, fmt.Sprintf("only preflight has judged the CRD %s: %v", broken.Name, broken.Err))
		} else {
			problems.add(p.Root, "", broken)
		}
	}
	r.withoutDoubles(p)
	problems.add(p.Root, "", r.allow(p))
	r.Findings = slices.DeleteFunc(r.Findings, func(f rule.Finding) bool { return !slices.Contains(families, f.Rule.Family) }) // of markers that allow
	r.Findings = rule.Sort(r.Findings)
	if len(r.Judged) == 0 && len(problems) == 0 {
		nothing := "nothing to check was found: no CustomResourceDefinition, and no Go package with API types"
		if dirs := p.WithCRDs(); len(dirs) > 0 {
			nothing += "; CRDs are in " + dirs[0] + ": name a directory of CRDs with --crd-dir, those below it are not read"
		}
		problems.add(p.Root, "", errors.New(nothing))
	}
	return r, problems.join()
}

// family judges a project: it returns its findings, and what it judged in words.
type family func(context.Context, *project.Project, Options, *Result) (found []rule.Finding, judged string, err error)

// safely judges a project. A panic is an error: what the family would have found is not known.
func (judge family) safely(ctx context.Context, p *project.Project, o Options, r *Result) (found []rule.Finding, judged string, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("the check panicked: %v; please report it", panicked)
		}
	}()
	return judge(ctx, p, o, r)
}

var runs = map[rule.Family]family{
	rule.Preflight: func(ctx context.Context, p *project.Project, o Options, r *Result) ([]rule.Finding, string, error) {
		if len(p.CRDs)+len(p.Undecodable) == 0 {
			return nil, "", noCRDs
		}
		return r.preflight(ctx, p, o)
	},
	rule.Lint: func(ctx context.Context, p *project.Project, o Options, r *Result) ([]rule.Finding, string, error) {
		return r.lint(ctx, p, o)
	},
	rule.Compat: func(ctx context.Context, p *project.Project, o Options, r *Result) ([]rule.Finding, string, error) {
		return r.compat(ctx, p, o)
	},
	rule.Samples: func(ctx context.Context, p *project.Project, o Options, r *Result) ([]rule.Finding, string, error) {
		if len(p.CRDs) == 0 {
			return nil, "", noCRDs
		}
		since, err := r.sinceBase(p, o)
		if err != nil {
			return nil, "", err
		}
		found, err := samples.Check(ctx, p, since)
		if err == nil && found.Objects+found.Unchanged == 0 && len(found.Findings) == 0 {
			none := "no object of the project's kinds was found in YAML files and Markdown pages"
			if _, skipped, some := strings.Cut(found.String(), ", "); some {
				none += " (" + skipped + ")"
			}
			err = notApplicable(none)
		}
		if err == nil {
			if err = r.comparable(rule.Samples, o); err != nil {
				return nil, "", err
			}
		}
		return found.Findings, found.String(), err
	},
}
