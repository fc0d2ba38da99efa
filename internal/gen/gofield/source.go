// SPDX-License-Identifier: Apache-2.0

package gofield

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/workspace"
)

// Source is a tree of Go files, whose packages are parsed when they are asked for. It may be used by several goroutines.
type Source struct {
	fset *token.FileSet

	mu       sync.Mutex
	packages map[string]*Package      // by directory
	modules  map[string]*modfile.File // by the directory of go.mod
	roots    map[string]string        // the directories of modules, by those of packages
}

// NewSource returns a source in which nothing is parsed yet.
func NewSource() *Source {
	return &Source{fset: token.NewFileSet(), packages: map[string]*Package{}, modules: map[string]*modfile.File{}, roots: map[string]string{}}
}

// Package is the parsed source of one directory.
type Package struct {
	Name   string
	dir    string
	fset   *token.FileSet
	types  map[string]*declaration
	source *Source
	// methods are the names of methods, each after that of its type and a dot.
	methods map[string]bool
	// constants are its declarations of constants.
	constants []*ast.GenDecl
}

// declaration is the declaration of a type.
type declaration struct {
	pkg  *Package
	file *ast.File
	decl *ast.GenDecl
	spec *ast.TypeSpec
	docs func() []*ast.CommentGroup // findDocs, once
}

// commented reports whether the first of docs is the comment of the type itself.
func (d *declaration) commented() bool {
	return d.spec.Doc != nil || !d.decl.Lparen.IsValid() && d.decl.Doc != nil
}

// findDocs finds the comments that can have the markers of a type.
func (d *declaration) findDocs() []*ast.CommentGroup { return Docs(d.pkg.fset, d.file, d.decl, d.spec) }

// Docs are the comments that can have the markers of a type, that of the type first: upstream's tools also read the comment above the one next
// to it.
func Docs(fset *token.FileSet, file *ast.File, decl *ast.GenDecl, spec *ast.TypeSpec) (docs []*ast.CommentGroup) {
	doc := spec.Doc
	if doc == nil && !decl.Lparen.IsValid() {
		doc = decl.Doc
	}
	start := spec.Pos()
	if !decl.Lparen.IsValid() {
		start = decl.Pos()
	}
	if doc != nil {
		docs, start = append(docs, doc), doc.Pos()
	}
	line := fset.Position(start).Line
	above, _ := slices.BinarySearchFunc(file.Comments, start, func(group *ast.CommentGroup, at token.Pos) int { return cmp.Compare(group.Pos(), at) })
	for _, group := range slices.Backward(file.Comments[:above]) {
		switch end := fset.Position(group.End()).Line; {
		case end == line-2:
			docs = append(docs, group)
		case end < line-2:
			return docs
		}
	}
	return docs
}

// FieldName is the name of a field, or of the type that is embedded.
func FieldName(f *ast.Field) string {
	if len(f.Names) > 0 {
		return f.Names[0].Name
	}
	return typeName(f.Type)
}

func typeName(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// Parse reads the Go files of a directory, without its tests.
func Parse(dir string) (*Package, error) { return NewSource().Package(dir) }

// Package reads the Go files of a directory, without its tests. Files that do not parse are left out: the generators report them.
func (s *Source) Package(dir string) (*Package, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.packages[dir]; p != nil {
		return p, nil
	}
	names, err := workspace.Glob(dir, "*.go")
	if err != nil {
		return nil, err
	}
	p := &Package{dir: dir, fset: s.fset, types: map[string]*declaration{}, source: s, methods: map[string]bool{}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(s.fset, name, nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			continue
		}
		p.Name = file.Name.Name
		for _, decl := range file.Decls {
			if method, ok := decl.(*ast.FuncDecl); ok && method.Recv != nil && len(method.Recv.List) == 1 {
				p.methods[receiver(method.Recv.List[0].Type)+"."+method.Name.Name] = true
			}
			if decl, ok := decl.(*ast.GenDecl); ok && decl.Tok == token.CONST {
				p.constants = append(p.constants, decl)
			}
		}
		for decl, spec := range Types(file) {
			d := &declaration{pkg: p, file: file, decl: decl, spec: spec}
			d.docs = sync.OnceValue(d.findDocs)
			p.types[spec.Name.Name] = d
		}
	}
	s.packages[dir] = p
	return p, nil
}

// Types are the declarations of types in a file, in their order.
func Types(file *ast.File) iter.Seq2[*ast.GenDecl, *ast.TypeSpec] {
	return func(yield func(*ast.GenDecl, *ast.TypeSpec) bool) {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range decl.Specs {
				if spec, ok := s.(*ast.TypeSpec); ok && !yield(decl, spec) {
					return
				}
			}
		}
	}
}

// Has reports whether the package declares a type.
func (p *Package) Has(name string) bool { return p.types[name] != nil }

// HasMethod reports whether a type of the package has a method of its own, on itself or its pointer.
func (p *Package) HasMethod(typ, method string) bool { return p.methods[typ+"."+method] }

// receiver is the name of the type of a method.
func receiver(t ast.Expr) string {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// imported is the package that a file in dir imports by a path, if it is in the same module, or in one that go.mod replaces by a
// directory; else nil.
func (s *Source) imported(pkg, dir string) *Package {
	at := s.dirOf(pkg, dir)
	if at == "" {
		return nil
	}
	p, err := s.Package(at)
	if err != nil {
		return nil
	}
	return p
}

func (s *Source) dirOf(pkg, dir string) string {
	if pkg == "" {
		return ""
	}
	root := s.root(dir)
	if root == "" {
		return ""
	}
	file := s.module(root)
	if file == nil || file.Module == nil {
		return ""
	}
	if rel, ok := below(pkg, file.Module.Mod.Path); ok {
		return filepath.Join(root, filepath.FromSlash(rel))
	}
	for _, r := range file.Replace {
		rel, ok := below(pkg, r.Old.Path)
		if !ok || r.New.Version != "" {
			continue
		}
		to := filepath.FromSlash(r.New.Path)
		if !filepath.IsAbs(to) {
			to = filepath.Join(root, to)
		}
		return filepath.Join(to, filepath.FromSlash(rel))
	}
	return ""
}

// root is the directory of the module that a directory is in; empty for none.
func (s *Source) root(dir string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if root, known := s.roots[dir]; known {
		return root
	}
	root := workspace.Above(dir, "go.mod")
	s.roots[dir] = root
	return root
}

// below is the way from a module to one of its packages.
func below(pkg, module string) (rel string, ok bool) {
	rel, ok = strings.CutPrefix(pkg+"/", module+"/")
	return strings.TrimSuffix(rel, "/"), ok
}

// module is the go.mod of a directory; nil if it cannot be read.
func (s *Source) module(root string) *modfile.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	if file, known := s.modules[root]; known {
		return file
	}
	name, data, err := workspace.ReadAbove(root, "go.mod")
	var file *modfile.File
	if err == nil {
		file, _ = modfile.Parse(name, data, nil) // the go command has the words for one that does not parse
	}
	s.modules[root] = file
	return file
}
