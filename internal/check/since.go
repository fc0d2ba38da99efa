// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/preflight"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/check/samples"
	"github.com/crdctl/crdctl/internal/text"
)

// preflight judges the CRDs. With a base that the user named, it leaves out what that has as well, except for errors: what the API server
// refuses cannot be installed, new or not.
func (r *Result) preflight(ctx context.Context, p *project.Project, o Options) ([]rule.Finding, string, error) {
	judged := text.Count(len(p.CRDs)+len(p.Undecodable), "CRD", "CRDs")
	found, err := preflight.Check(ctx, p.CRDs)
	if err != nil || o.Base == nil || !o.Base.Given {
		return found, judged, err
	}
	older, err := r.older()
	if err != nil {
		return found, judged, err
	}
	var changed []*project.CRD
	same, known, outside := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, crd := range p.CRDs {
		if same[crd.Name] = older.Same(crd); !same[crd.Name] && older[crd.Name] != nil {
			changed = append(changed, older[crd.Name])
		}
		if same[crd.Name] {
			note(outside, preflight.OutsideSpec(crd))
			note(known, preflight.OutsideSpec(older[crd.Name]))
		}
	}
	before, err := preflight.Check(ctx, changed)
	if err != nil {
		return found, judged, err
	}
	note(known, before)
	r.hide(&found, func(f rule.Finding) bool {
		name, _, _ := strings.Cut(f.Subject, "/")
		return f.Severity < rule.Error && (same[strings.TrimSuffix(name, ":")] && !outside[f.Fingerprint()] || known[f.Fingerprint()])
	})
	return found, judged + " since " + o.Base.Name, nil
}

// note adds the fingerprints of findings.
func note(in map[string]bool, found []rule.Finding) {
	for _, f := range found {
		in[f.Fingerprint()] = true
	}
}

// older are the CRDs as the base has them; none if it has none.
func (r *Result) older() (compat.State, error) {
	b, err := r.baseline()
	if errors.Is(err, compat.ErrNoCRDs) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return b.State(), nil
}

// comparable notes that a family compares nothing, and reports all as if it were new, where the user named a base that is not a whole project.
// Where the family was asked for, that is an error.
func (r *Result) comparable(of rule.Family, o Options) error {
	if o.Base == nil || !o.Base.Given || o.Base.Whole {
		return nil
	}
	err := fmt.Errorf("%s is not a whole project, with a go.mod; name a git revision or the root of an older project", o.Base.Name)
	if slices.Contains(o.Families, of) {
		return err
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s compared no revisions: %s", of, err))
	return nil
}

// sinceBase is a base that the user named, for samples; nil if none was.
func (r *Result) sinceBase(p *project.Project, o Options) (*samples.Since, error) {
	if o.Base == nil || !o.Base.Given || !o.Base.Whole {
		return nil, nil
	}
	older, err := r.older()
	if err != nil {
		return nil, err
	}
	same := map[string]bool{}
	for _, crd := range p.CRDs {
		same[crd.Name] = older.Same(crd)
	}
	var crds []*project.CRD
	for _, name := range slices.Sorted(maps.Keys(older)) {
		crds = append(crds, older[name])
	}
	webhooks, err := olderWebhooks(o.Base)
	if err != nil {
		return nil, err
	}
	return &samples.Since{
		Name: o.Base.Name, CRDs: crds, Same: func(crd *project.CRD) bool { return same[crd.Name] },
		Mutates: func(group, plural string) bool { return project.Mutate(webhooks, group, plural) },
		Read: func(file string) ([]byte, error) {
			if !o.Base.Has(file) {
				return nil, nil
			}
			return o.Base.ReadFile(file)
		},
	}, nil
}

// olderWebhooks are the markers of the webhooks that changed objects.
func olderWebhooks(b *revision.Base) (all []string, err error) {
	for _, file := range b.Files(".") {
		if !project.IsGo(file) || strings.HasPrefix(file, "vendor/") || strings.Contains(file, "/vendor/") {
			continue
		}
		src, err := b.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, project.MutatingWebhooks(src)...)
	}
	return all, nil
}
