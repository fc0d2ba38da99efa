// SPDX-License-Identifier: Apache-2.0

// Package doctor finds the causes of symptoms that controllers and their repositories show: what does not compile, is forbidden, is refused,
// or happens without an error.
//
// It reads go.mod, YAML files and the syntax of Go files, and if asked to the types of Go code and the CRDs of a cluster; what rules of
// "crdctl check" find already, it takes from these. It changes nothing, and has no opinion on the design of an API.
package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/crdctl/crdctl/internal/check/doctor/machine"
	"github.com/crdctl/crdctl/internal/check/preflight"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// Options say what is looked at.
type Options struct {
	// Root is the directory of the project, a real path; empty outside of any module, where only the machine is looked at.
	Root string
	// Project is what "crdctl check" judges; nil if it could not be read.
	Project *project.Project
	// Machine is what was read of the machine; nil for none.
	Machine *machine.Machine
	// Kubernetes is the version of Kubernetes in crdctl, as in v0.37.1.
	Kubernetes string
	// Deep has the Go code of controllers judged with its types.
	Deep bool
	// Cluster has CRDs that those of the project are compared with; nil for none.
	Cluster Cluster
}

// Result is what was found.
type Result struct {
	Findings []rule.Finding
	Judged   string // what was looked at, in words
}

// check has rules about files, and what they are about in a word or two.
type check struct {
	name string
	find func(*Source) []rule.Finding
}

var checks = []check{
	{"versions in go.mod", skews},
	{"go.sum", sums},
	{"k8s.io/kubernetes", kubernetesModule},
	{"controller-gen", controllerGen},
	{"removed APIs", removedAPIs},
	{"webhooks", webhooks},
	{"conversions", conversions},
	{"leader election", elections},
	{"finalizers", finalizers},
	{"conditions", conditions},
	{"deep copies", deepCopies},
	{"schemes", schemes},
	{"copies of CRDs", copies},
	{"roles of charts", chartRoles},
}

// run looks for findings. A panic is an error, and the other checks go on.
func (c check) run(s *Source) (found []rule.Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			found, err = nil, fmt.Errorf("not determined: %s: panic: %v; this is a bug of crdctl, please report it", c.name, p)
		}
	}()
	return c.find(s), nil
}

// Check looks for the causes of symptoms. With an error, the result has what could be determined.
func Check(ctx context.Context, o Options) (*Result, error) {
	r := &Result{Judged: "this machine"}
	var problems []error
	var source *Source
	if o.Root != "" {
		var err error
		if source, err = Open(o.Root, o.Project); err != nil {
			problems = append(problems, err)
		} else {
			r.Judged = source.String()
			problems = append(problems, source.unread...)
			for _, c := range checks {
				found, err := c.run(source)
				r.Findings = append(r.Findings, found...)
				problems = append(problems, err)
			}
		}
	}
	further := func(found []rule.Finding, judged string, err error) {
		r.Findings = append(r.Findings, found...)
		problems = append(problems, err)
		if judged != "" {
			r.Judged += ", " + judged
		}
	}
	if o.Deep && source != nil {
		further(deep(ctx, source))
	}
	if o.Cluster != nil {
		further(live(ctx, o.Project, o.Cluster))
	}
	if o.Project != nil {
		found, err := preflight.Check(ctx, o.Project.CRDs)
		r.Findings = append(r.Findings, borrowed(found)...)
		problems = append(problems, err)
	}
	if o.Machine != nil {
		r.Findings = append(r.Findings, environment(*o.Machine, source, o.Kubernetes)...)
		if o.Root != "" {
			r.Judged += ", this machine"
		}
	}
	r.Findings = rule.Sort(r.Findings)
	return r, errors.Join(problems...)
}

// symptoms are the rules of preflight whose findings are causes of symptoms.
var symptoms = map[string]bool{
	"status-without-subresource": true, "refused-version": true, "apply-size": true, "embedded-metadata-pruned": true, "default-under-absent": true,
	"refused-group": true, "column-path": true, "refused-cel": true, "cel-cost": true, "refused-conversion": true, "refused-api-version": true,
}

// borrowed are the findings of preflight that are causes of symptoms: one of each rule, since "crdctl check" lists them all.
func borrowed(found []rule.Finding) (all []rule.Finding) {
	at, more := map[string]int{}, map[string]int{}
	for _, f := range found {
		if !symptoms[f.Rule.ID] {
			continue
		}
		if _, ok := at[f.Rule.ID]; ok {
			more[f.Rule.ID]++
			continue
		}
		at[f.Rule.ID] = len(all)
		all = append(all, f)
	}
	for id, n := range more {
		f := &all[at[id]]
		f.Message = fmt.Sprintf("%s; \"crdctl check preflight\" lists %d more such", f.Message, n)
	}
	return all
}
