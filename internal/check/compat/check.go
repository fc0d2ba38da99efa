// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
)

// Options say what a project is compared with.
type Options struct {
	// Base is an older state, or nil.
	Base *revision.Base
	// Baseline is the function Read of the base, where others need it as well; nil if none do.
	Baseline func() (*Baseline, error)
	// Objects have stored objects in all of their files; nil if there are none.
	Objects *revision.Base
}

// Result is what was found.
type Result struct {
	Findings []rule.Finding
	Notes    []string
	Judged   string // what was looked at
	Packages int    // how many Go packages were compared
}

// Check compares a project with an older state of it. Without one, only what the versions of a CRD break between each other is found. With an
// error, the result, if there is one, has what was found nevertheless.
func Check(ctx context.Context, p *project.Project, o Options) (*Result, error) {
	r := &Result{Findings: Versions(p.CRDs), Judged: crds(len(p.CRDs)) + ", without an older revision"}
	if o.Base == nil {
		return r, nil
	}
	read := o.Baseline
	if read == nil {
		read = func() (*Baseline, error) { return Read(o.Base, p) }
	}
	b, err := read()
	if err != nil {
		return nil, err
	}
	objects, judged, err := o.objects(b)
	if err != nil {
		return nil, err
	}
	changed, notes, problem := Compare(ctx, b.crds, StateOf(p.CRDs), objects)
	if o.Base.Given {
		r.Findings = unknown(r.Findings, Versions(slices.Collect(maps.Values(b.crds))))
	}
	r.Findings, r.Notes = slices.Concat(r.Findings, changed, b.gone()), notes
	if o.Base.Whole {
		imported, notes, compared, err := goPackages(p, o.Base, changed)
		r.Packages = compared
		r.Findings, r.Notes = append(r.Findings, imported...), append(r.Notes, notes...)
		problem = errors.Join(problem, err)
		imported, notes, err = gonePackages(p, o.Base, b)
		r.Findings, r.Notes = append(r.Findings, imported...), append(r.Notes, notes...)
		problem = errors.Join(problem, err)
	}
	what := crds(len(b.crds))
	if len(p.CRDs)+len(b.crds) == 0 && r.Packages > 0 {
		what = text.Count(r.Packages, "Go package", "Go packages")
	}
	r.Judged = fmt.Sprintf("%s against %s", what, o.Base.Name)
	if n := len(p.CRDs) - len(b.crds); n > 0 {
		r.Judged += fmt.Sprintf(", %d new", n)
	}
	r.Judged += judged
	return r, problem
}

// unknown are the findings that others do not have.
func unknown(found, others []rule.Finding) []rule.Finding {
	return slices.DeleteFunc(found, func(f rule.Finding) bool {
		return slices.ContainsFunc(others, func(o rule.Finding) bool { return o.Fingerprint() == f.Fingerprint() })
	})
}

// objects are the samples of the base, and the objects that the user gave, of which there must be some.
func (o Options) objects(b *Baseline) (all Objects, judged string, err error) {
	if o.Base.Whole {
		if all, err = readObjects(o.Base, false, b.crds, isSample); err != nil {
			return nil, "", err
		}
		all = b.own(all)
	}
	if o.Objects != nil {
		given, err := readObjects(o.Objects, true, b.crds, func(string) bool { return true })
		if err != nil {
			return nil, "", fmt.Errorf("--objects: %w", err)
		}
		if given = b.own(given); len(given) == 0 {
			return nil, "", fmt.Errorf("--objects %s: no object of a kind and version of the older CRDs; \"kubectl get KIND --all-namespaces -o yaml\" writes some", o.Objects.Name)
		}
		all = append(all, given...)
	}
	if len(all) > 0 {
		judged = ", with " + text.Count(len(all), "object", "objects")
	}
	return all, judged, nil
}

// own are the objects of the CRDs.
func (b *Baseline) own(objects Objects) (own Objects) {
	for _, name := range sortedKeys(b.crds) {
		own = append(own, objects.of(b.crds[name])...)
	}
	return own
}

func crds(n int) string { return text.Count(n, "CRD", "CRDs") }
