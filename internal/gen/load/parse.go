package load

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// parse reads the files of a package, drops what is not needed of them, and starts with what is left of its imports.
func (l *loader) parse(ctx context.Context, path string, n *node) error {
	dir, mod, std, err := l.env.find(path, n.std)
	if err != nil {
		return err
	}
	n.std = std
	n.local = !std && l.env.Local(dir)
	n.pkg = &packages.Package{ID: path, PkgPath: path, Fset: l.fset, Module: mod, Imports: map[string]*packages.Package{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name[0] == '_' || name[0] == '.' {
			continue
		}
		file := filepath.Join(dir, name)
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if ok, err := l.env.matches(dir, name, src); err != nil {
			return fmt.Errorf("%w: %w", ErrNotPlain, err)
		} else if !ok {
			continue
		}
		mode := parser.SkipObjectResolution
		if !std {
			mode |= parser.ParseComments // Go's own have no tags
		}
		f, err := parser.ParseFile(l.fset, file, src, mode)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotPlain, err)
		}
		if n.pkg.Name == "" {
			n.pkg.Name = f.Name.Name
		}
		if f.Name.Name != n.pkg.Name {
			return fmt.Errorf("%w: the folder has packages %s and %s", ErrNotPlain, n.pkg.Name, f.Name.Name)
		}
		n.pkg.GoFiles = append(n.pkg.GoFiles, file)
		n.pkg.Syntax = append(n.pkg.Syntax, f)
		prune(f, l.whole[path])
		dropImports(f)
		for _, imported := range f.Imports {
			l.resolve(ctx, imported, n)
		}
	}
	if len(n.pkg.GoFiles) == 0 {
		return fmt.Errorf("%w: no Go files for this build", ErrNotPlain)
	}
	return nil
}

// resolve notes an import and starts to load it.
func (l *loader) resolve(ctx context.Context, spec *ast.ImportSpec, n *node) {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || path == "C" || path == "unsafe" {
		return
	}
	full := path
	if first, _, _ := strings.Cut(path, "/"); n.std && strings.Contains(first, ".") {
		full = "vendor/" + path // as the go command calls what Go itself vendors
	}
	n.names[path] = full
	l.want(ctx, full, n)
}

// matches tells whether a file belongs to the build. Most files have nothing that could exclude them; go/build parses
// the imports of those that have.
func (e *Env) matches(dir, name string, src []byte) (bool, error) {
	head, _, _ := bytes.Cut(src, []byte("\npackage "))
	if !strings.Contains(name, "_") && !bytes.Contains(head, []byte("//go:build")) && !bytes.Contains(head, []byte("+build")) && !bytes.Contains(src, []byte(`"C"`)) {
		return true, nil
	}
	c := e.build
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
	return c.MatchFile(dir, name)
}

// sortedKeys is for walks that must not depend on the order of a map.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
