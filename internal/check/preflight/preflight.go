// SPDX-License-Identifier: Apache-2.0

// Package preflight finds what the API server would refuse in CRDs, and what it accepts to the loss of their users.
//
// It judges CRDs alone, with the API server's own code where that is possible. It compares no revisions and knows no objects.
package preflight

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// check is a rule, or some, as a function of one CRD. An error says that something could not be determined.
type check func(ctx context.Context, crd *project.CRD) ([]rule.Finding, error)

var checks = []check{
	quick(strict), quick(refusals), rules, quick(inMaps), of(columns), of(scale), of(subresources), of(tooLarge), of(shortNames), quick(nodes),
}

// OutsideSpec returns the warnings that are about more than the specification of a CRD.
func OutsideSpec(crd *project.CRD) []rule.Finding { return tooLarge(crd) }

// quick is a check of a CRD at once.
func quick(judge func(crd *project.CRD) ([]rule.Finding, error)) check {
	return func(_ context.Context, crd *project.CRD) ([]rule.Finding, error) { return judge(crd) }
}

func of(judge func(crd *project.CRD) []rule.Finding) check {
	return func(_ context.Context, crd *project.CRD) ([]rule.Finding, error) { return judge(crd), nil }
}

// Check returns what is wrong with the CRDs. Where the context ends first, it does not wait for the API server's code, which knows no contexts:
// what is judged at that moment is judged to its end, and the result dropped.
func Check(ctx context.Context, crds []*project.CRD) ([]rule.Finding, error) {
	found := make([][]rule.Finding, len(crds))
	problems := make([]error, len(crds))
	done := make(chan struct{})
	go func() {
		defer close(done)
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i, crd := range crds {
			group.Go(func() error {
				found[i], problems[i] = judge(ctx, crd)
				return nil
			})
		}
		_ = group.Wait() // the errors are in problems, all of them
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var all []rule.Finding
	for _, f := range found {
		all = append(all, f...)
	}
	return rule.Sort(all), errors.Join(problems...)
}

// judge runs all checks on one CRD. What panics is the API server's code, on what it does not expect.
func judge(ctx context.Context, crd *project.CRD) (all []rule.Finding, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("%s:%d: the checks of the CRD %s panicked: %v; please report it", crd.File, crd.Line, crd.Name, panicked)
		}
	}()
	if version := crd.APIVersion; version != apiextv1.SchemeGroupVersion.String() {
		return []rule.Finding{rule.New("refused-api-version", crd.InManifest("apiVersion"), crd.Subject(""), "the CRD is of %s, which no API server since Kubernetes 1.22 has", version)}, nil
	}
	for _, check := range checks {
		if ctx.Err() != nil {
			return nil, nil
		}
		found, err := check(ctx, crd)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: CRD %s: %w", crd.File, crd.Line, crd.Name, err)
		}
		all = append(all, found...)
	}
	if crd.OfTests() {
		for i := range all {
			all[i].Severity = rule.Note // the test may need it as it is, or install it in another way
		}
	}
	return all, nil
}
