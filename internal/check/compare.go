// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// compat compares the project with the base. Where none was named and none can be found, only what needs none is judged.
func (r *Result) compat(ctx context.Context, p *project.Project, o Options) ([]rule.Finding, string, error) {
	if len(p.CRDs) == 0 && (o.Cluster != nil || o.Base == nil) {
		return nil, "", noCRDs
	}
	if o.Cluster != nil {
		result, err := compat.CheckLive(ctx, p, o.Cluster, o.Cluster.Name)
		return r.compared(result, err)
	}
	asked := slices.Contains(o.Families, rule.Compat)
	if o.Base == nil && asked {
		return nil, "", fmt.Errorf("no older revision to compare with: %w", o.NoBase)
	}
	if o.Base == nil && o.NoBase == nil {
		o.NoBase = errors.New("none was named")
	}
	result, err := compat.Check(ctx, p, compat.Options{Base: o.Base, Baseline: r.baseline, Objects: o.Objects})
	if errors.Is(err, compat.ErrNoCRDs) && !asked && (!o.Base.Given || o.Base.Whole) {
		o.NoBase, o.Base = err, nil
		result, err = compat.Check(ctx, p, compat.Options{})
	}
	goOnly := result != nil && result.Packages > 0 && len(p.Settings.CRDDirs()) == 0
	if err == nil && len(p.CRDs) == 0 && len(result.Findings) == 0 && !goOnly {
		r.Notes = append(r.Notes, result.Notes...) // which Go packages could not be compared
		return nil, "", noCRDs                     // and none was removed
	}
	if err == nil && o.Base == nil {
		r.Notes = append(r.Notes, fmt.Sprintf("compat compared no revisions: %s", o.NoBase))
	}
	return r.compared(result, err)
}

// compared is a result of the comparison, which with an error has what was found nevertheless.
func (r *Result) compared(result *compat.Result, err error) ([]rule.Finding, string, error) {
	if result == nil {
		return nil, "", err
	}
	r.Notes = append(r.Notes, result.Notes...)
	return result.Findings, result.Judged, err
}
