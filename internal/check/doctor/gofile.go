// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// GoFile is a Go file of the project that is not a test. It is parsed when a rule asks for more than its text.
type GoFile struct {
	Path string
	Data []byte

	fset    *token.FileSet
	file    *ast.File
	imports map[string]string
	parsed  bool
}

// Has reports whether the text of the file has some words.
func (f *GoFile) Has(words string) bool { return bytes.Contains(f.Data, []byte(words)) }

var generated = lazyregexp.New(`(?m)^// Code generated .* DO NOT EDIT\.\r?$`)

// Generated reports whether a program wrote the file.
func (f *GoFile) Generated() bool {
	return bytes.Contains(f.Data, []byte("// Code generated ")) && generated.Match(f.Data)
}

// AST parses the file. What does not parse, the compiler reports: it is nil.
func (f *GoFile) AST() *ast.File {
	if f.parsed {
		return f.file
	}
	f.parsed = true
	f.fset, f.imports = token.NewFileSet(), map[string]string{}
	file, err := parser.ParseFile(f.fset, f.Path, f.Data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	f.file = file
	for _, i := range file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		f.imports[name] = p
	}
	return file
}

// Import is the import path of a name in the file; empty if no import has that name.
func (f *GoFile) Import(name string) string {
	f.AST()
	return f.imports[name]
}

func (f *GoFile) place(n ast.Node) rule.Place {
	at := f.fset.Position(n.Pos())
	return rule.Place{File: f.Path, Line: at.Line, Col: at.Column}
}

// inspect calls do for each node of a type.
func inspect[N ast.Node](f *GoFile, do func(N)) {
	file := f.AST()
	if file == nil {
		return
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n, ok := n.(N); ok {
			do(n)
		}
		return true
	})
}

// calls are the calls of functions and methods with some names, as they are written after the last dot.
func (f *GoFile) calls(names ...string) (all []*ast.CallExpr) {
	inspect(f, func(c *ast.CallExpr) {
		if slices.Contains(names, called(c)) {
			all = append(all, c)
		}
	})
	return all
}

// called is the name of what is called.
func called(c *ast.CallExpr) string {
	switch fun := c.Fun.(type) {
	case *ast.SelectorExpr:
		return fun.Sel.Name
	case *ast.Ident:
		return fun.Name
	}
	return ""
}

// typeOf is the import path and the name of a type that a file names with a package.
func (f *GoFile) typeOf(e ast.Expr) (importPath, name string) {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if pkg, ok := s.X.(*ast.Ident); ok {
			return f.Import(pkg.Name), s.Sel.Name
		}
	}
	return "", ""
}

// literal is the type of a composite literal, or of a pointer to one, and its place.
func (f *GoFile) literal(e ast.Expr) (importPath, name string, at rule.Place) {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = u.X
	}
	if c, ok := e.(*ast.CompositeLit); ok && c.Type != nil {
		importPath, name = f.typeOf(c.Type)
		return importPath, name, f.place(c)
	}
	return "", "", at
}

// keys are the values of a composite literal by the names of its fields.
func keys(c *ast.CompositeLit) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	for _, e := range c.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if name, ok := kv.Key.(*ast.Ident); ok {
				all[name.Name] = kv.Value
			}
		}
	}
	return all
}

// textOf is the value of a string literal.
func textOf(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

// constant is the value of an expression that is a string literal, or names a constant of the project that has one.
func (s *Source) constant(f *GoFile, e ast.Expr) (value string, at rule.Place, ok bool) {
	if value, ok := textOf(e); ok {
		return value, f.place(e), true
	}
	dir, name := path.Dir(f.Path), ""
	switch e := e.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		importPath, selected := f.typeOf(e)
		if dir, ok = s.dirOf(importPath); !ok {
			return "", at, false
		}
		name = selected
	}
	if name == "" {
		return "", at, false
	}
	for _, g := range s.Go {
		if path.Dir(g.Path) != dir || !g.Has(name) || g.AST() == nil {
			continue
		}
		for _, decl := range g.AST().Decls {
			gen, isGen := decl.(*ast.GenDecl)
			if !isGen || gen.Tok != token.CONST && gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				v := spec.(*ast.ValueSpec)
				for i, n := range v.Names {
					if n.Name == name && i < len(v.Values) {
						value, ok := textOf(v.Values[i])
						return value, g.place(v.Values[i]), ok
					}
				}
			}
		}
	}
	return "", at, false
}

// dirOf is the directory of a package of the project.
func (s *Source) dirOf(importPath string) (string, bool) {
	best, dir := -1, ""
	for _, m := range s.Modules {
		if rest, ok := strings.CutPrefix(importPath+"/", m.Path()+"/"); ok && len(m.Path()) > best {
			best, dir = len(m.Path()), path.Join(m.Dir(), rest)
		}
	}
	return dir, best >= 0
}
