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
	found, judged, err := compat.Check(ctx, p, o.Base)
	if errors.Is(err, compat.ErrNoCRDs) && !asked && !o.Base.Given {
		o.NoBase, o.Base = err, nil
		found, judged, err = compat.Check(ctx, p, nil)
	}
	if o.Base == nil && err == nil {
		r.Notes = append(r.Notes, fmt.Sprintf("compat compared no revisions: %s", o.NoBase))
	}
	return found, judged, err
}
