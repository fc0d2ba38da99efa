// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"go/token"
	"slices"
)

// rings finds nodes that lead back to themselves.
func rings[N comparable](all []N, next func(N) []N) (found [][]N) {
	done := map[N]bool{}
	var way []N
	var walk func(n N)
	walk = func(n N) {
		if done[n] {
			return
		}
		if at := slices.Index(way, n); at >= 0 {
			found = append(found, slices.Clone(way[at:]))
			return
		}
		way = append(way, n)
		for _, to := range next(n) {
			walk(to)
		}
		way = way[:len(way)-1]
		done[n] = true
	}
	for _, n := range all {
		walk(n)
	}
	return found
}

// cycles finds packages that import each other in a ring, on which the type checker would wait for ever.
func (w *program) cycles() [][]*pkg {
	return rings(w.sorted(), func(p *pkg) (imports []*pkg) {
		for _, path := range sortedKeys(p.imports) {
			imports = append(imports, p.imports[path])
		}
		return imports
	})
}

// cycle is the error of packages that import each other in a ring.
func (w *program) cycle(ring []*pkg) *CycleError {
	e := &CycleError{}
	for i, p := range ring {
		next := ring[(i+1)%len(ring)]
		e.Imports = append(e.Imports, fmt.Sprintf("%s: %s imports %s", w.importPos(p, next), p.path, next.path))
	}
	return e
}

// importPos is where a package imports another.
func (w *program) importPos(p, imported *pkg) token.Position {
	for _, f := range p.files {
		for _, spec := range f.specs {
			if p.imports[importPath(spec)] == imported {
				return w.fset.Position(spec.Pos())
			}
		}
	}
	return token.Position{Filename: p.dir}
}
