// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/check/allow"
	"github.com/crdctl/crdctl/internal/check/lint"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/markerlint"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
)

// lint judges the Go types. With a base that the user named, it reports what that does not have.
func (r *Result) lint(ctx context.Context, p *project.Project, o Options) ([]rule.Finding, string, error) {
	if len(p.Packages) == 0 {
		return nil, "", notApplicable("no Go package has +groupName in its package comment, as those with API types have")
	}
	if err := r.comparable(rule.Lint, o); err != nil {
		return nil, "", err
	}
	judged := text.Count(len(p.Packages), "package", "packages")
	older := map[string]map[string][]byte{}
	if o.Base != nil && o.Base.Whole {
		var err error
		if older, err = olderFiles(p, o.Base); err != nil {
			return nil, "", err
		}
	}
	if len(older) == 0 {
		return r.lintNow(ctx, p, judged)
	}
	l, err := lint.CheckSince(ctx, source(p), older, p.GoFiles, o.Base.Given)
	if err != nil && !o.Base.Given && ctx.Err() == nil {
		found, judged, problem := r.lintNow(ctx, p, judged)
		if problem == nil {
			r.Notes = append(r.Notes, diag.WithHint("lint compared no revisions: "+o.Base.Name, p.Root, "", err.Error()).Error())
		}
		return found, judged, problem
	}
	if l == nil {
		return nil, judged, err
	}
	r.hidden = append(r.hidden, l.Older...)
	if err != nil && len(l.Findings) > 0 {
		err = fmt.Errorf("the types of %s cannot be judged, so the findings may be older than they seem: %w", o.Base.Name, err)
	}
	if o.Base.Given {
		judged += " since " + o.Base.Name
	}
	return l.Findings, judged, errors.Join(l.Uncompiled, err)
}

// lintNow judges the Go types without a base.
func (r *Result) lintNow(ctx context.Context, p *project.Project, judged string) ([]rule.Finding, string, error) {
	l, err := lint.Check(ctx, source(p))
	if err != nil {
		return nil, judged, err
	}
	r.hide(&l.Findings, lint.ForNew)
	return l.Findings, judged, l.Uncompiled
}

// hide takes out findings, which count for nothing but that they may be allowed.
func (r *Result) hide(found *[]rule.Finding, is func(rule.Finding) bool) {
	*found = slices.DeleteFunc(*found, func(f rule.Finding) bool {
		out := is(f)
		if out {
			r.hidden = append(r.hidden, f)
		}
		return out
	})
}

// source is the Go source of the project's API types.
func source(p *project.Project) lint.Source {
	s, code := p.Settings, len(p.Settings.APIs) > 0 && len(p.Settings.ControllerGen.Calls) == 0
	return lint.Source{Root: p.Root, Dirs: p.Packages, Refused: code, Tags: markerlint.Families{
		Gengo: code, Kubebuilder: !code || s.CRDs.Dir != "", Fields: !code || s.CRDs.Dir != "" || s.OpenAPI.IsSet(),
	}}
}

// olderFiles are the Go files of the API packages as the base has them, by directory and name.
func olderFiles(p *project.Project, b *revision.Base) (map[string]map[string][]byte, error) {
	all := map[string]map[string][]byte{}
	for _, dir := range p.Packages {
		for _, file := range b.Files(dir) {
			if path.Dir(file) != dir || !project.IsGo(file) {
				continue
			}
			src, err := b.ReadFile(file)
			if err != nil {
				return nil, err
			}
			if all[dir] == nil {
				all[dir] = map[string][]byte{}
			}
			all[dir][path.Base(file)] = src
		}
	}
	return all, nil
}

// allow takes out what the markers of the API packages allow.
func (r *Result) allow(p *project.Project) error {
	var files []string
	for _, dir := range p.Packages {
		own, err := p.GoFiles(dir)
		if err != nil {
			return err
		}
		for name, src := range own {
			if allow.Markers(src) {
				files = append(files, path.Join(dir, name))
			}
		}
	}
	found, allowed, err := allow.Apply(r.Findings, r.hidden, allow.Options{
		Files: allow.GoFiles(files, r.Findings),
		Read: func(file string) ([]byte, error) {
			data, err := safefs.ReadFile(filepath.Join(p.Root, filepath.FromSlash(file)), safefs.MaxFile)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, nil // a file of the base, which compat names
			}
			return data, err
		},
		Judged: func(of *rule.Rule) bool { return r.Judged[of.Family] != "" && of.Family != rule.Compat },
	})
	if err != nil {
		return fmt.Errorf("markers +crdctl:allow: %w", err)
	}
	r.Findings, r.Allowed = found, allowed
	return nil
}
