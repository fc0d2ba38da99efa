// SPDX-License-Identifier: Apache-2.0

package host

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"
)

// syntax has the files that were parsed for one call, for the next: their packages, but not what is known of their types,
// which depends on the roots and the generators of a call.
type syntax struct {
	fset  *token.FileSet
	files map[string][]*ast.File // by the names of all files of a package
}

// of makes the packages of a call.
func (s *syntax) of(call *Call, sizes types.Sizes) []*packages.Package {
	all := make([]*packages.Package, len(call.Packages))
	for i, p := range call.Packages {
		all[i] = &packages.Package{
			ID: p.ID, PkgPath: p.PkgPath, Name: p.Name, GoFiles: p.GoFiles, CompiledGoFiles: p.CompiledGoFiles,
			Errors: p.Errors, TypesSizes: sizes, Imports: make(map[string]*packages.Package, len(p.Imports)),
		}
		if dir := directory(all[i]); dir != nil {
			*dir = p.Dir
		}
		all[i].Syntax = s.files[names(all[i])]
	}
	for i, p := range call.Packages {
		for path, to := range p.Imports {
			all[i].Imports[path] = all[to]
		}
	}
	return all
}

// keep remembers what was parsed for a call.
func (s *syntax) keep(all []*packages.Package) {
	for _, p := range all {
		if p.Syntax != nil && len(p.CompiledGoFiles) > 0 {
			s.files[names(p)] = p.Syntax
		}
	}
}

func names(p *packages.Package) string { return strings.Join(p.CompiledGoFiles, "\x00") }
