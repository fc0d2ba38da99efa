package typecheck

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// cycles finds packages that import each other in a ring, on which the type checker would wait for ever.
func (w *program) cycles() []Error {
	done := map[*pkg]bool{}
	var way []*pkg
	var found []Error
	var walk func(p *pkg)
	walk = func(p *pkg) {
		if done[p] {
			return
		}
		if at := slices.Index(way, p); at >= 0 {
			found = append(found, w.cycle(way[at:]))
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
	return found
}

func (w *program) cycle(ring []*pkg) Error {
	var names []string
	at := token.Position{Filename: ring[0].dir}
	for i, p := range ring {
		next := ring[(i+1)%len(ring)]
		names = append(names, p.path)
		for _, f := range p.files {
			for _, spec := range f.specs {
				if at.Line == 0 && p.imports[importPath(spec)] == next {
					at = w.fset.Position(spec.Pos())
				}
			}
		}
	}
	return Error{Pos: at, Msg: fmt.Sprintf("import cycle not allowed: %s import each other", strings.Join(names, ", "))}
}
