// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/check/doctor/calls"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/crd/builtin"
	loader "github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace"
)

// deep are the findings about what the Go code of controllers does, with its types; judged has the number of packages.
func deep(ctx context.Context, s *Source) (all []rule.Finding, judged string, err error) {
	pkgs, err := s.typed(ctx)
	if err != nil {
		return nil, "", s.unloaded(err)
	}
	found := calls.Of(pkgs)
	lacking, open := s.forbidden(found.Requests)
	all = slices.Concat(lacking, s.blocked(found.Ownerships), s.misowned(found.Ownerships), s.changed(found.Changes))
	judged = text.Count(len(pkgs), "package", "packages") + " with types"
	if open > 0 {
		judged += fmt.Sprintf(" (%s that no role grants not judged: the client may be one of another cluster)", text.Count(open, "request", "requests"))
	}
	return all, judged, s.uncompiled(pkgs)
}

// unloaded is the error of packages that do not load: a module that cannot be downloaded is in it once, and not for each package that imports it.
func (s *Source) unloaded(err error) error {
	short, hint := ui.ShortenGo(s.Root, strings.ReplaceAll(strings.TrimSpace(err.Error()), s.Root+string(filepath.Separator), ""))
	return fmt.Errorf("--deep: load the packages of controllers: %s; %s", short, cmp.Or(hint, `check that "go build ./..." works`))
}

// uncompiled is the first type error of packages; nil if there is none. What depends on one has no type, and is not judged. The loader leaves
// out bodies of generated files.
func (s *Source) uncompiled(pkgs []*packages.Package) error {
	for _, p := range pkgs {
		generated := map[string]bool{}
		for _, file := range p.Syntax {
			generated[p.Fset.Position(file.Package).Filename] = ast.IsGenerated(file)
		}
		for _, e := range p.TypeErrors {
			if at := e.Fset.Position(e.Pos); !generated[at.Filename] || e.Msg != "missing return" {
				return fmt.Errorf("--deep: %s: %s; what depends on it is not judged, check that \"go build ./...\" works", s.in(at.Filename, at.Line, at.Column), e.Msg)
			}
		}
	}
	return nil
}

// interesting is what the text of a file has that may do something with objects.
var interesting = []string{"sigs.k8s.io/controller-runtime", "k8s.io/client-go/", "/listers/", "/informers/", "NewControllerRef("}

// typed loads the packages of controllers that may do something with objects: those of a program from its module, and where there is no
// program, each from its own.
func (s *Source) typed(ctx context.Context) (all []*packages.Package, err error) {
	programs := s.programs()
	modules, paths := map[string][]string{}, workspace.ImportPaths{}
	seen := map[string]bool{}
	for _, f := range s.Go {
		dir := path.Dir(f.Path)
		if seen[dir] || f.Generated() || !slices.ContainsFunc(interesting, f.Has) {
			continue
		}
		seen[dir] = true
		of := slices.IndexFunc(programs, func(p program) bool { return p.reached[dir] })
		from := dir
		switch {
		case of >= 0:
			from = programs[of].dir
		case len(programs) > 0:
			continue // of a command for users, say, who have rights of their own
		}
		importPath, err := paths.Of(filepath.Join(s.Root, filepath.FromSlash(dir)))
		if err != nil {
			return nil, err
		}
		module := workspace.Above(filepath.Join(s.Root, filepath.FromSlash(from)), "go.mod")
		modules[module] = append(modules[module], importPath)
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		some, err := whole(ctx, module, modules[module])
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// whole loads packages of a module without the go command, if that is possible.
func whole(ctx context.Context, module string, paths []string) ([]*packages.Package, error) {
	env, err := loader.NewEnv(ctx, module)
	if err == nil {
		var all []*packages.Package
		if all, err = loader.Whole(ctx, env, paths); err == nil {
			return all, nil
		}
	}
	if !errors.Is(err, loader.ErrUnsupported) {
		return nil, err
	}
	return loader.Whole(ctx, loader.NewListed(module), paths)
}

// resource is what a Go type is in the API.
type resource struct {
	group, plural string
	namespaced    bool
}

// String is the resource as kubectl takes it.
func (r resource) String() string { return strings.TrimSuffix(r.plural+"."+r.group, ".") }

// resourceOf is the resource of a type of the project or of Kubernetes; false for a type of others, and for one that several CRDs could be of.
func (s *Source) resourceOf(t calls.Type) (r resource, ok bool) {
	if b, ok := builtin.OfType(t.Package, t.Name); ok {
		return resource{b.Group, b.Plural, b.Namespaced}, true
	}
	if _, own := s.dirOf(t.Package); !own || s.Project == nil {
		return r, false
	}
	for _, crd := range s.Project.CRDs {
		if crd.Spec.Names.Kind == t.Name {
			if ok {
				return r, false
			}
			r, ok = resource{crd.Spec.Group, crd.Spec.Names.Plural, crd.Spec.Scope == "Namespaced"}, true
		}
	}
	return r, ok
}

// in is a place in the project.
func (s *Source) in(file string, line, col int) rule.Place {
	rel, err := filepath.Rel(s.Root, file)
	if err != nil {
		rel = file
	}
	return rule.Place{File: filepath.ToSlash(rel), Line: line, Col: col}
}

// forbidden finds requests that no role of the controller grants: one finding of each resource. Those of clients that may be of another
// cluster are open.
func (s *Source) forbidden(requests []calls.Request) (all []rule.Finding, open int) {
	granted := s.granted()
	if granted.none() {
		return nil, 0 // they are elsewhere
	}
	type lack struct {
		first calls.Request
		calls int
		verbs []string
		read  bool // with one of the verbs that read
	}
	lacks := map[string]*lack{}
	for _, q := range requests {
		r, ok := s.resourceOf(q.Type)
		if !ok {
			continue
		}
		name := r.plural
		if q.Subresource != "" {
			name += "/" + q.Subresource
		}
		var missing []string
		for _, verb := range q.Verbs {
			if !granted.allow(permission{r.group, name, verb}) {
				missing = append(missing, verb)
			}
		}
		if len(missing) == 0 || q.Any && len(missing) < len(q.Verbs) {
			continue
		}
		if !q.Own {
			open++
			continue
		}
		key := strings.TrimPrefix(permission{r.group, name, ""}.String(), " ")
		if lacks[key] == nil {
			lacks[key] = &lack{first: q}
		}
		lacks[key].calls++
		if q.Any {
			lacks[key].read = true
		} else {
			lacks[key].verbs = append(lacks[key].verbs, missing...)
		}
	}
	for key, l := range lacks {
		slices.Sort(l.verbs)
		verbs := slices.Compact(l.verbs)
		if l.read && !slices.Contains(verbs, "get") && !slices.Contains(verbs, "list") {
			verbs = append(verbs, "one of get, list and watch")
		}
		asks := l.first.Call + " needs"
		if l.calls > 1 {
			asks = fmt.Sprintf("%s and %s need", l.first.Call, text.Count(l.calls-1, "other call", "other calls"))
		}
		all = append(all, rule.New("rbac-missing", s.in(l.first.At.Filename, l.first.At.Line, l.first.At.Column), key,
			"%s %s of %s, and no role of the controller grants that", asks, strings.Join(verbs, ", "), key))
	}
	return all, open
}

// blocked finds owners whose finalizers no role lets the controller update.
func (s *Source) blocked(ownerships []calls.Ownership) (all []rule.Finding) {
	granted, seen := s.granted(), map[string]bool{}
	if granted.none() {
		return nil
	}
	for _, o := range ownerships {
		owner, ok := s.resourceOf(o.Owner)
		if !ok || !o.Blocks || seen[owner.String()] || granted.allow(permission{owner.group, owner.plural + "/finalizers", "update"}) {
			continue
		}
		seen[owner.String()] = true
		all = append(all, rule.New("owner-finalizers-rbac", s.in(o.At.Filename, o.At.Line, o.At.Column), owner.String(),
			"%s sets blockOwnerDeletion for %s, and no role of the controller grants update of %s/finalizers", o.Call, o.Owner.Name, owner))
	}
	return all
}

// misowned finds objects without a namespace whose owners have one.
func (s *Source) misowned(ownerships []calls.Ownership) (all []rule.Finding) {
	for _, o := range ownerships {
		owner, ok := s.resourceOf(o.Owner)
		dependent, known := s.resourceOf(o.Dependent)
		if !ok || !known || !owner.namespaced || dependent.namespaced {
			continue
		}
		effect := "the garbage collector deletes it"
		if o.Refused {
			effect = "which is an error"
		}
		all = append(all, rule.New("owner-scope", s.in(o.At.Filename, o.At.Line, o.At.Column), dependent.String(),
			"%s makes %s, which is namespaced, the owner of %s, which is cluster-scoped: %s", o.Call, o.Owner.Name, o.Dependent.Name, effect))
	}
	return all
}

// changed finds changes of objects of a cache: one finding of each file.
func (s *Source) changed(changes []calls.Change) (all []rule.Finding) {
	slices.SortStableFunc(changes, func(a, b calls.Change) int {
		return cmp.Or(cmp.Compare(a.At.Filename, b.At.Filename), cmp.Compare(a.At.Line, b.At.Line))
	})
	for i, c := range changes {
		if i > 0 && changes[i-1].At.Filename == c.At.Filename {
			continue
		}
		at := s.in(c.At.Filename, c.At.Line, c.At.Column)
		all = append(all, rule.New("cache-changed", at, at.File+": "+c.Object, "%s is changed, and %s returned it from a cache", c.Object, c.Call))
	}
	return all
}
