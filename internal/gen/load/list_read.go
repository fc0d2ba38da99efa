package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// read finds a package. Outside of Go itself it reads the names and imports of its files, as the go command does.
func (l *lister) read(path string, n *listed) error {
	place, err := l.env.Find(path, false)
	if errors.Is(err, ErrUnsupported) && l.alone && !n.root {
		n.pkg.Name = goName(path)
		return nil
	}
	if err != nil {
		return err
	}
	dir, mod, std := place.Dir, place.Module, place.Std
	n.dir, n.module, n.std = dir, mod, std
	if err := l.env.unambiguous(path, dir, mod); err != nil {
		return err
	}
	if std || l.alone && !n.root && !l.env.Local(dir) {
		if !hasGo(dir) {
			return fmt.Errorf("%w: no Go files", ErrUnsupported)
		}
		n.pkg.Name = goName(path)
		return nil
	}
	return l.files(n)
}

// files reads the files of a package as far as their imports.
func (l *lister) files(n *listed) error {
	if l.env.Local(n.dir) {
		if err := noForeign(n.dir); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	err := l.env.Files(n.dir, func(name string, src []byte) error {
		file := filepath.Join(n.dir, name)
		f, err := parser.ParseFile(token.NewFileSet(), file, src, parser.ImportsOnly|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUnsupported, err)
		}
		if n.pkg.Name == "" {
			n.pkg.Name = f.Name.Name
		}
		if f.Name.Name != n.pkg.Name {
			return fmt.Errorf("%w: the folder has packages %s and %s", ErrUnsupported, n.pkg.Name, f.Name.Name)
		}
		if l.env.Local(n.dir) && bytes.Contains(src, []byte("//go:embed ")) {
			return fmt.Errorf("%w: the go command looks for what is embedded", ErrUnsupported)
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil || imported == "C" {
				return fmt.Errorf("%w: import %s", ErrUnsupported, spec.Path.Value)
			}
			if !seen[imported] {
				seen[imported] = true
				n.imports = append(n.imports, imported)
			}
		}
		n.pkg.GoFiles = append(n.pkg.GoFiles, file)
		return nil
	})
	if err != nil {
		return err
	}
	if len(n.pkg.GoFiles) == 0 {
		return fmt.Errorf("%w: no Go files for this build", ErrUnsupported)
	}
	n.pkg.CompiledGoFiles = slices.Clone(n.pkg.GoFiles)
	n.read = true
	return nil
}

// foreign are the ends of the names of files that the go command takes with cgo or SWIG only, and refuses where a package
// has neither.
var foreign = []string{".c", ".cc", ".cpp", ".cxx", ".m", ".f", ".F", ".for", ".f90", ".swig", ".swigcxx"}

// noForeign refuses a folder with sources of other languages. What was downloaded has been compiled by others.
func noForeign(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if name := entry.Name(); slices.Contains(foreign, filepath.Ext(name)) && name[0] != '_' && name[0] != '.' {
			return fmt.Errorf("%w: %s is not Go", ErrUnsupported, filepath.Join(dir, name))
		}
	}
	return nil
}

// readGo reads the files of Go's own packages that the roots import: their fields may have such types, and then
// controller-tools reads those packages.
func (l *lister) readGo() {
	for _, path := range sortedKeys(l.nodes) {
		if !l.nodes[path].root {
			continue
		}
		for _, imported := range l.nodes[path].imports {
			n := l.nodes[imported]
			if n == nil || !n.std || n.read {
				continue
			}
			name := n.pkg.Name
			n.pkg.Name = ""
			if err := l.files(n); err != nil {
				// It has cgo in it, most likely. Who does without its types never misses it.
				n.pkg.Name, n.pkg.GoFiles, n.imports = name, nil, nil
				continue
			}
			for _, further := range n.imports {
				if own := vendored(further); own != "unsafe" {
					l.node(own).pkg.Name, l.node(own).std = goName(own), true
				}
			}
		}
	}
}

// vendored is the path of a package that Go itself imports: some are not its own.
func vendored(path string) string {
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return "vendor/" + path
	}
	return path
}

// goName is the name of a package of Go itself that anybody may import, by its path.
func goName(p string) string {
	if base := path.Base(p); !majorVersion.MatchString(base) {
		return base
	}
	return path.Base(path.Dir(p))
}
