// SPDX-License-Identifier: Apache-2.0

package host

import (
	"go/ast"
	"go/token"
	"path"
	"reflect"
	"unsafe"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// Wrap returns packages as controller-tools' loader would hand them out, in the same order. The loader has no way to be given
// packages: it runs the go command for each root, which takes longer than all that comes after. So what its LoadRootsWithConfig
// would fill in is filled in from outside. All that import a package get the very same one.
func Wrap(fset *token.FileSet, raw []*packages.Package) []*loader.Package {
	byRaw := map[*packages.Package]*loader.Package{}
	own := reflect.New(field(&loader.Package{}, "loader").Type().Elem())
	open(own.Elem().FieldByName("cfg")).Set(reflect.ValueOf(&packages.Config{Fset: fset}))
	open(own.Elem().FieldByName("packages")).Set(reflect.ValueOf(byRaw))
	all := make([]*loader.Package, len(raw))
	for i, one := range raw {
		p := &loader.Package{Package: one}
		field(p, "loader").Set(own)
		byRaw[one] = p
		all[i] = p
	}
	return all
}

func field(p *loader.Package, name string) reflect.Value {
	return open(reflect.ValueOf(p).Elem().FieldByName(name))
}

// open makes a field settable that its package keeps to itself.
func open(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem() //nolint:gosec // see Wrap
}

// Read reports whether a generator asked for more than the name of a package.
func Read(p *packages.Package) bool { return p.Syntax != nil || p.TypesInfo != nil }

// placeOf is where the kind that an error without a place is about is declared, or "". controller-tools says it of any of the kind's
// versions, so the first is taken.
func placeOf(roots []*packages.Package, p *packages.Package, kind string) (at string) {
	first := ""
	for _, version := range roots {
		if path.Dir(version.PkgPath) != path.Dir(p.PkgPath) || first != "" && first < version.PkgPath || version.Fset == nil {
			continue
		}
		for _, file := range version.Syntax {
			ast.Inspect(file, func(n ast.Node) bool { // engines of old versions cannot range over functions
				if t, ok := n.(*ast.TypeSpec); ok && t.Name.Name == kind {
					first, at = version.PkgPath, version.Fset.Position(t.Name.Pos()).String()
				}
				return true
			})
		}
	}
	return at
}
