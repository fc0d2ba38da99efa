// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/workspace"
)

var (
	convert     = regexp.MustCompile(`^Convert_(\w+)_To_(\w+)$`)
	autoConvert = regexp.MustCompile(`^autoConvert_(\w+)_To_(\w+)$`)
	unconverted = regexp.MustCompile(`^// WARNING: in\.(\w+) (.*)$`)
)

// lossyConversions returns the fields that generated conversions leave out and that neither the hand-written conversion function
// of the type mentions nor one of a type that has it: their values are lost when an object is converted. One note a field, at the
// function. A conversion without a hand-written function does not compile, which is reported elsewhere.
func lossyConversions(root string, files []codegen.File) (notes []string) {
	fset := token.NewFileSet()
	for _, f := range files {
		if f.Generator != "conversion-gen" || !bytes.Contains(f.Content, []byte("// WARNING: in.")) {
			continue // most convert all
		}
		generated, err := parser.ParseFile(fset, f.Path, f.Content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue // the generator's output is checked elsewhere
		}
		dir := path.Dir(f.Path)
		byHand, structs := handwritten(fset, filepath.Join(root, filepath.FromSlash(dir)))
		for _, decl := range generated.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			names := autoConvert.FindStringSubmatch(fn.Name.Name)
			if names == nil || byHand["Convert_"+names[1]+"_To_"+names[2]] == nil {
				continue
			}
			own := byHand["Convert_"+names[1]+"_To_"+names[2]]
			at := fset.Position(own.Name.Pos())
			for _, lost := range warnings(generated, fn) {
				read := append(promoted(structs, lost[1]), lost[1])
				if !mentions(own, read) && !mentionedAbove(byHand, names, read) {
					notes = append(notes, fmt.Sprintf("%s/%s:%d:%d: %s.%s is lost in the conversion to %s: %s; convert in.%s there, or accept the loss with \"_ = in.%s\"",
						dir, filepath.Base(at.Filename), at.Line, at.Column, typeName(names[1]), lost[1], typeName(names[2]), because(lost[2]), lost[1], lost[1]))
				}
			}
		}
	}
	return notes
}

// typeName is a type in the name of a conversion function, version and type, as people write it.
func typeName(name string) string { return strings.Replace(name, "_", " ", 1) }

// because is the generator's reason in plain words.
func because(reason string) string {
	reason = strings.TrimPrefix(reason, "requires manual conversion: ")
	if reason == "does not exist in peer-type" {
		return "it has no such field"
	}
	return reason
}

// warnings are the comments in a generated function about fields that it does not convert.
func warnings(file *ast.File, fn *ast.FuncDecl) (found [][]string) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if fn.Pos() <= c.Pos() && c.End() <= fn.End() {
				if m := unconverted.FindStringSubmatch(c.Text); m != nil {
					found = append(found, m)
				}
			}
		}
	}
	return found
}

// handwritten are the functions and the structs in the files of dir that were not generated, by name.
func handwritten(fset *token.FileSet, dir string) (functions map[string]*ast.FuncDecl, structs map[string]*ast.StructType) {
	functions, structs = map[string]*ast.FuncDecl{}, map[string]*ast.StructType{}
	names, _ := workspace.Glob(dir, "*.go") // no files, no functions
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil && decl.Body != nil {
					functions[decl.Name.Name] = decl
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok {
						if s, ok := t.Type.(*ast.StructType); ok {
							structs[t.Name.Name] = s
						}
					}
				}
			}
		}
	}
	return functions, structs
}

// promoted are the fields of a struct by whose name others embed it: they read as fields of these.
func promoted(structs map[string]*ast.StructType, name string) (fields []string) {
	embeds := func(f *ast.Field) bool {
		ident, ok := f.Type.(*ast.Ident)
		return ok && len(f.Names) == 0 && ident.Name == name
	}
	embedded := structs[name]
	if embedded == nil || !slices.ContainsFunc(slices.Collect(maps.Values(structs)), func(s *ast.StructType) bool { return slices.ContainsFunc(s.Fields.List, embeds) }) {
		return nil
	}
	for _, f := range embedded.Fields.List {
		for _, n := range f.Names {
			fields = append(fields, n.Name)
		}
	}
	return fields
}

// mentionedAbove reports whether a hand-written conversion in the direction of names, which are two types, reads a field of something in
// its first parameter that has one of the names of fields: "in.PrivateKey.Size" where the spec is converted. It has only names to go by.
func mentionedAbove(byHand map[string]*ast.FuncDecl, names, fields []string) bool {
	version := func(name string) string { v, _, _ := strings.Cut(name, "_"); return v }
	for name, fn := range byHand {
		m := convert.FindStringSubmatch(name)
		if m == nil || version(m[1]) != version(names[1]) || version(m[2]) != version(names[2]) || len(fn.Type.Params.List) < 2 {
			continue
		}
		var results []string // what is written to
		for _, param := range fn.Type.Params.List[1:] {
			for _, name := range param.Names {
				results = append(results, name.Name)
			}
		}
		found := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			found = found || ok && slices.Contains(fields, s.Sel.Name) && !slices.Contains(results, variable(s))
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// variable is the one that a selector begins with, or "".
func variable(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// mentions reports whether a function reads one of some fields of its first parameter, or hands the whole of it to a function that
// is not the generated conversion: that may read any field.
func mentions(fn *ast.FuncDecl, fields []string) bool {
	params := fn.Type.Params.List
	if len(params) == 0 || len(params[0].Names) == 0 {
		return false
	}
	in := params[0].Names[0].Name
	isIn := func(e ast.Expr) bool {
		ident, ok := e.(*ast.Ident)
		return ok && ident.Name == in
	}
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || isIn(n.X) && slices.Contains(fields, n.Sel.Name)
		case *ast.CallExpr:
			name, _ := n.Fun.(*ast.Ident)
			if name != nil && autoConvert.MatchString(name.Name) {
				return true
			}
			for _, arg := range n.Args {
				found = found || isIn(arg)
			}
		}
		return !found
	})
	return found
}
