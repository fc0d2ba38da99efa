package load

import (
	"go/token"
	"slices"
)

// cycles finds packages that import each other in a ring, on which the type checker would wait for ever.
func (w *program) cycles() (rings [][]*pkg) {
	done := map[*pkg]bool{}
	var way []*pkg
	var walk func(p *pkg)
	walk = func(p *pkg) {
		if done[p] {
			return
		}
		if at := slices.Index(way, p); at >= 0 {
			rings = append(rings, slices.Clone(way[at:]))
			return
		}
		way = append(way, p)
		for _, path := range sortedKeys(p.imports) {
			walk(p.imports[path])
		}
		way = way[:len(way)-1]
		done[p] = true
	}
	for _, p := range w.sorted() {
		walk(p)
	}
	return rings
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
