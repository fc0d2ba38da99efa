// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/workspace"
)

// split takes a project apart by modules that do not see each other: their API packages are loaded apart, with what is generated of them. A
// project stays whole where something is generated of packages of several: then the go command says what is missing.
func split(root string, p *config.Project) []*config.Project {
	whole := []*config.Project{p}
	if onlyCalls(p) || p.CRDs.Dir != "" || p.RBAC.Dir != "" || workspace.Above(root, "go.work") != "" && os.Getenv("GOWORK") != "off" {
		return whole
	}
	byDir := map[string]*config.Project{}
	var modules []*config.Project
	for _, api := range p.APIs {
		dir := loadDir(root, []string{api})
		if byDir[dir] == nil {
			part := *p
			part.APIs, part.Clients, part.OpenAPI.Dir, part.OpenAPI.Calls, part.ControllerGen.Calls = nil, nil, "", nil, nil
			byDir[dir], modules = &part, append(modules, &part)
		}
		byDir[dir].APIs = append(byDir[dir].APIs, api)
	}
	if len(modules) < 2 {
		return whole
	}
	modules[len(modules)-1].ControllerGen.Calls = p.ControllerGen.Calls // last: deep copies that deepcopy-gen makes too are its own
	for _, c := range p.Clients {
		if home := byDir[loadDir(root, []string{c.Dir})]; len(c.Packages) > 0 && home != nil {
			c.APIs = home.APIs // its packages are of other modules
		}
		in := slices.IndexFunc(modules, func(m *config.Project) bool {
			return len(c.APIs) > 0 && !slices.ContainsFunc(c.APIs, func(api string) bool { return !slices.Contains(m.APIs, api) })
		})
		if in < 0 {
			return whole
		}
		modules[in].Clients = append(modules[in].Clients, c)
	}
	for _, dir := range p.OpenAPI.Dirs() {
		if byDir[loadDir(root, []string{dir})] == nil {
			return whole
		}
	}
	if dir := p.OpenAPI.Dir; dir != "" {
		byDir[loadDir(root, []string{dir})].OpenAPI.Dir = dir
	}
	for _, c := range p.OpenAPI.Calls {
		part := byDir[loadDir(root, []string{c.Dir})]
		part.OpenAPI.Calls = append(part.OpenAPI.Calls, c)
	}
	return modules
}

// eachModule is Generate for the modules of a project, one after the other.
func eachModule(ctx context.Context, root string, modules []*config.Project, o Options) (*Result, error) {
	all := &Result{Tree: tree.New(), Cached: true, PostProcessed: map[string]string{}}
	var failed []error
	for _, p := range modules {
		made, err := generate(ctx, root, p, o)
		// What calls of controller-gen did not make is not listed here, so their error is that of all.
		if err != nil && o.Partial && len(p.ControllerGen.Calls) == 0 && diag.IsUnavailable(err) {
			left, leftErr := notMade(root, p, err)
			if leftErr != nil {
				return nil, errors.Join(err, leftErr)
			}
			failed, all.NotCompared = append(failed, err), append(all.NotCompared, left...)
			if !diag.IsUnsupported(err) {
				all.Undetermined = errors.Join(all.Undetermined, err)
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := all.add(made); err != nil {
			return nil, err
		}
	}
	if len(all.modules) == 0 {
		return nil, errors.Join(failed...)
	}
	return all, nil
}

// add takes in what was made of a module.
func (r *Result) add(m *Result) error {
	if err := r.Tree.Merge(m.Tree); err != nil {
		return err
	}
	if len(r.modules) == 0 {
		r.Generators = m.Generators
	}
	for _, note := range m.Notes {
		if !slices.Contains(r.Notes, note) {
			r.Notes = append(r.Notes, note)
		}
	}
	maps.Copy(r.PostProcessed, m.PostProcessed)
	r.NotCompared = append(r.NotCompared, m.NotCompared...)
	r.Undetermined = errors.Join(r.Undetermined, m.Undetermined)
	r.Cached = r.Cached && m.Cached
	r.modules = append(r.modules, m)
	return nil
}

// typeCheckModules is TypeCheck for the packages of each module, with the files of all.
func (r *Result) typeCheckModules(ctx context.Context, changes []tree.Change) (notes []string, err error) {
	for _, m := range r.modules {
		part := *m
		part.Tree = r.Tree
		said, err := part.TypeCheck(ctx, changes)
		if notes = append(notes, said...); err != nil {
			return notes, err
		}
	}
	return notes, nil
}
