// SPDX-License-Identifier: Apache-2.0

// Package openapischema turns Go expressions into values without compiling them: composite literals, constants, and calls of
// functions that its caller lends it. It is for generated code that is no more than a value written down.
//
// It knows no types and functions but those that it is told of, and what it does not understand it refuses.
package openapischema

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"path"
	"reflect"
	"strconv"
)

// File says what the names in a file mean.
type File struct {
	// Fset has the positions of errors; nil if there are none to report.
	Fset *token.FileSet
	// Package is the import path of the file's own package, and Imports are those of the packages that it imports, by
	// their names in the file.
	Package  string
	Imports  map[string]string
	Packages *Packages
}

// Packages is what there is outside of a file.
type Packages struct {
	// Types and Funcs are what the value is made of, by import path, dot and name. What the file calls by a mere name has no
	// path.
	Types map[string]reflect.Type
	Funcs map[string]any
	// Const is a constant of a package.
	Const func(pkg, name string) (constant.Value, bool)
	// Method is what a method without arguments returns for the zero value of a type.
	Method func(pkg, typ, name string, want reflect.Type) (reflect.Value, error)
}

// PointerTo stands, among Funcs, for a generic function that returns a pointer to its argument.
type PointerTo struct{}

// Imports are the imports of a file by the names that it uses. Without a name of its own, a package is called what named
// says, or else what its path ends in.
func Imports(f *ast.File, named func(path string) string) map[string]string {
	all := map[string]string{}
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		name := named(p)
		if name == "" {
			name = path.Base(p)
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		all[name] = p
	}
	return all
}

// Returned is the one expression that a function returns, if that is all it does.
func Returned(fn *ast.FuncDecl) (ast.Expr, bool) {
	if fn.Body == nil || len(fn.Body.List) != 1 {
		return nil, false
	}
	r, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return nil, false
	}
	return r.Results[0], true
}

// Error is what is not understood, and where it stands if that is known.
type Error struct {
	Position token.Position
	Message  string
}

func (e *Error) Error() string {
	if e.Position.IsValid() {
		return e.Position.String() + ": " + e.Message
	}
	return e.Message
}

// refuse is the error of an expression that means nothing here.
func (f *File) refuse(e ast.Node, format string, args ...any) error {
	err := &Error{Message: fmt.Sprintf(format, args...)}
	if f.Fset != nil {
		err.Position = f.Fset.Position(e.Pos())
	}
	return err
}
