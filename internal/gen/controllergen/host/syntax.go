// SPDX-License-Identifier: Apache-2.0

package host

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// syntax has the files that were parsed for one call, for the others: not what is known of their types, which depends on the roots and
// the generators of a call.
type syntax struct {
	fset *token.FileSet

	mu    sync.Mutex
	files map[string]func() []*ast.File // by the names of all files of a package
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
	}
	for i, p := range call.Packages {
		for path, to := range p.Imports {
			all[i].Imports[path] = all[to]
		}
	}
	return all
}

// once parses a package for whichever call asks first.
func (s *syntax) once(p *packages.Package, parse func(*packages.Package) []*ast.File) []*ast.File {
	if len(p.CompiledGoFiles) == 0 {
		return nil
	}
	key := strings.Join(p.CompiledGoFiles, "\x00")
	s.mu.Lock()
	if s.files == nil {
		s.files = map[string]func() []*ast.File{}
	}
	if s.files[key] == nil {
		s.files[key] = sync.OnceValue(func() []*ast.File { return parse(p) })
	}
	get := s.files[key]
	s.mu.Unlock()
	return get()
}
