// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"

	"github.com/crdctl/crdctl/internal/check/lint"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
)

// judgeTypes runs the family lint.
func judgeTypes(ctx context.Context, p *project.Project) ([]rule.Finding, string, error) {
	if len(p.Packages) == 0 {
		return nil, "", notApplicable("no Go package with API types was found; one has +groupName in the comment of its package")
	}
	found, err := lint.Check(ctx, source(p))
	return found, count(len(p.Packages), "package", "packages"), err
}

// source is the Go source of the project's API types.
func source(p *project.Project) lint.Source {
	s, code := p.Settings, len(p.Settings.APIs) > 0 && len(p.Settings.ControllerGen.Calls) == 0
	return lint.Source{Root: p.Root, Dirs: p.Packages, Refused: code, Tags: markerlint.Families{
		Gengo: code, Kubebuilder: !code || s.CRDs.Dir != "", Fields: !code || s.CRDs.Dir != "" || s.OpenAPI.Dir != "",
	}}
}
