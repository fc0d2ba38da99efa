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
	if o.Cluster != nil && len(p.CRDs) > 0 {
		result, err := compat.CheckLive(ctx, p, o.Cluster, o.Cluster.Name)
		if err != nil {
			return nil, "", err
		}
		return result.Findings, result.Judged, nil
	}
	asked := slices.Contains(o.Families, rule.Compat)
	if len(p.CRDs) == 0 && o.Base == nil {
		return nil, "", notApplicable("no CustomResourceDefinition of the project was found")
	}
	if o.Base == nil && asked {
		return nil, "", fmt.Errorf("no older revision to compare with: %w", o.NoBase)
	}
	if o.Base == nil && o.NoBase == nil {
		o.NoBase = errors.New("none was named")
	}
	result, err := compat.Check(ctx, p, compat.Options{Base: o.Base, Objects: o.Objects})
	if errors.Is(err, compat.ErrNoCRDs) && !asked && !o.Base.Given {
		o.NoBase, o.Base = err, nil
		result, err = compat.Check(ctx, p, compat.Options{})
	}
	if err != nil {
		return nil, "", err
	}
	if o.Base == nil {
		r.Notes = append(r.Notes, fmt.Sprintf("compat compared no revisions: %s", o.NoBase))
	}
	return result.Findings, result.Judged, nil
}
