// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// judge runs the analyzers on a package. What they find in types that no API object has is left out.
func (p *pkg) judge(analyzers []*analysis.Analyzer, served map[string]role) (all []rule.Finding, err error) {
	target := *p.Package
	if target.Syntax = p.split(served); len(target.Syntax) == 0 {
		return nil, nil
	}
	graph, err := analyze(analyzers, &target)
	if err != nil {
		for _, a := range analyzers { // one by one: which of them is it?
			if _, err := analyze([]*analysis.Analyzer{a}, &target); err != nil {
				return nil, fmt.Errorf("the analyzer %s failed on %s: %w", a.Name, p.dir, err)
			}
		}
		return nil, fmt.Errorf("the analyzers failed on %s: %w", p.dir, err)
	}
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, fmt.Errorf("the analyzer %s failed on %s: %w", act.Analyzer.Name, p.dir, act.Err)
		}
		for _, d := range act.Diagnostics {
			if f, ok := p.finding(act.Analyzer.Name, d, served); ok {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// analyze runs analyzers, whose panics are errors.
func analyze(analyzers []*analysis.Analyzer, p *packages.Package) (graph *checker.Graph, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panicked: %v; please report it", r)
		}
	}()
	return checker.Analyze(analyzers, []*packages.Package{p}, &checker.Options{Sequential: true})
}

// finding is what an analyzer reports, if it counts.
func (p *pkg) finding(analyzer string, d analysis.Diagnostic, served map[string]role) (rule.Finding, bool) {
	in, ok := p.at(d.Pos)
	in.role = served[p.PkgPath+"."+in.owner]
	if !ok || in.role == 0 || in.ast == nil && p.torn[in.spec] {
		return rule.Finding{}, false
	}
	f := rule.New(analyzer, p.place(d.Pos), p.subject(in), "%s", d.Message)
	if ofNamed.MatchString(cleaned(d.Message, in)) {
		return f, false
	}
	if counts := filters[analyzer]; counts != nil && !counts(p, in, &f) {
		return f, false
	}
	f.Message = cleaned(f.Message, in)
	f.Edit = p.edit(analyzer, in, f)
	return f, true
}
