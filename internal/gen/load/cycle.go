package load

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// CycleError is an import cycle: the go command names its packages, and not the lines to look at.
type CycleError struct {
	// Imports are the imports on the way around, each with its place.
	Imports []string
}

func (e *CycleError) Error() string {
	return "import cycle not allowed:\n" + strings.Join(e.Imports, "\n")
}

// acyclic refuses import cycles, on which the type checker would wait for ever.
func (l *loader) acyclic() error {
	done := map[string]bool{}
	var way []string
	var walk func(path string) error
	walk = func(path string) error {
		n := l.nodes[path]
		if n == nil || done[path] {
			return nil
		}
		if at := slices.Index(way, path); at >= 0 {
			return l.cycle(way[at:])
		}
		way = append(way, path)
		for _, imported := range sortedKeys(n.names) {
			if err := walk(n.names[imported]); err != nil {
				return err
			}
		}
		way = way[:len(way)-1]
		done[path] = true
		return nil
	}
	for _, path := range sortedKeys(l.nodes) {
		if err := walk(path); err != nil {
			return err
		}
	}
	return nil
}

// cycle is the error of packages that import each other in a ring.
func (l *loader) cycle(ring []string) error {
	e := &CycleError{}
	for i, path := range ring {
		next := ring[(i+1)%len(ring)]
		e.Imports = append(e.Imports, fmt.Sprintf("%s: %s imports %s", l.importPos(l.nodes[path], next), path, next))
	}
	return e
}

// importPos is where a package imports another.
func (l *loader) importPos(n *node, path string) token.Position {
	for _, f := range n.pkg.Syntax {
		for _, spec := range f.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil && n.names[imported] == path {
				return l.fset.Position(spec.Pos())
			}
		}
	}
	return token.Position{Filename: n.pkg.PkgPath}
}
