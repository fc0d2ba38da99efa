package load

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// connect makes the Imports of the packages, and refuses those that the go command refuses.
func (l *lister) connect() error {
	for _, path := range sortedKeys(l.nodes) {
		n := l.nodes[path]
		if !n.read {
			continue
		}
		n.pkg.Imports = map[string]*packages.Package{}
		for _, imported := range n.imports {
			to := l.nodes[imported]
			if n.std {
				to = l.nodes[vendored(imported)]
			}
			if imported == "unsafe" {
				to = &listed{pkg: &packages.Package{ID: imported, Name: imported, PkgPath: imported, TypesSizes: l.sizes}, std: true}
			}
			if to.pkg.Name == "main" || !n.std && !mayImport(path, imported) {
				return fmt.Errorf("%w: %s may not import %s", ErrUnsupported, path, imported)
			}
			n.pkg.Imports[imported] = to.pkg
		}
	}
	return l.acyclic()
}

// mayImport is the go command's rule of internal packages.
func mayImport(path, imported string) bool {
	elements := strings.Split(imported, "/")
	for i := len(elements) - 1; i >= 0; i-- {
		if elements[i] == "vendor" {
			return false
		}
		if elements[i] == "internal" {
			parent := strings.Join(elements[:i], "/")
			return parent != "" && (path == parent || strings.HasPrefix(path, parent+"/"))
		}
	}
	return true
}

// acyclic refuses import cycles: controller-tools would wait for itself.
func (l *lister) acyclic() error {
	const begun, done = 1, 2
	state := map[*packages.Package]int{}
	var visit func(p *packages.Package) error
	visit = func(p *packages.Package) error {
		switch state[p] {
		case begun:
			return fmt.Errorf("%w: %s imports itself", ErrUnsupported, p.PkgPath)
		case done:
			return nil
		}
		state[p] = begun
		for _, imported := range p.Imports {
			if err := visit(imported); err != nil {
				return err
			}
		}
		state[p] = done
		return nil
	}
	for _, n := range l.nodes {
		if err := visit(n.pkg); err != nil {
			return err
		}
	}
	return nil
}

// modules are the paths of the modules that packages were read of, sorted.
func (l *lister) modules() []string {
	var paths []string
	for _, n := range l.nodes {
		if n.module != nil && n.read && !slices.Contains(paths, n.module.Path) {
			paths = append(paths, n.module.Path)
		}
	}
	slices.Sort(paths)
	return paths
}
