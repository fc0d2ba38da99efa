// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"go/types"
)

// wrongTypes are the errors in type declarations of the project, by package. Where a quick check has some, they may follow from what it left
// out: functions, variables and methods, without which a type may lack what a type parameter asks for. So the packages are checked again with
// all of that, which takes longer. Of files that are not those on disk, nothing is reported: what they import is of another time.
func (w *program) wrongTypes(ctx context.Context) (map[string][]types.Error, error) {
	if _, other := w.find.(overlay); other {
		return nil, nil
	}
	var paths []string
	for _, p := range w.sorted() {
		for _, e := range p.wrong {
			if p.own && (w.declared || !p.whole) && inTypeDecl(p.syntax(), e.Pos) {
				paths = append(paths, p.path)
				break
			}
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	exact := newProgram(w.find)
	exact.readAll(paths, true)
	exact.keepWhole()
	exact.follow(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if rings := exact.cycles(); len(rings) > 0 {
		return nil, exact.cycle(rings[0])
	}
	exact.inOrder(ctx, func(p *pkg) {
		exact.check(p, p.syntax(), func(e types.Error) {
			if p.whole && !e.Soft && inTypeDecl(p.syntax(), e.Pos) {
				p.wrong = append(p.wrong, e)
			}
		})
	})
	wrong := map[string][]types.Error{}
	for _, path := range paths {
		wrong[path] = exact.pkgs[path].wrong
	}
	return wrong, context.Cause(ctx)
}

// ofTypes are the errors of a package, and of those to which its imports lead.
func (p *pkg) ofTypes(wrong map[string][]types.Error) (all []types.Error) {
	if len(wrong) == 0 {
		return nil
	}
	seen := map[*pkg]bool{p: true}
	for queue := []*pkg{p}; len(queue) > 0; queue = queue[1:] {
		all = append(all, wrong[queue[0].path]...)
		for _, path := range sortedKeys(queue[0].imports) {
			if next := queue[0].imports[path]; !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return all
}

// importer is the place of an import of a package in the project, with a colon; empty if it has none there.
func (w *program) importer(imported *pkg) string {
	for _, p := range w.sorted() {
		if !p.own {
			continue
		}
		if at := w.importPos(p, imported); at.IsValid() {
			return at.String() + ": "
		}
	}
	return ""
}
