// SPDX-License-Identifier: Apache-2.0

package load

import (
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"path/filepath"
)

// Syntax returns the syntax errors in packages and, unless they alone are read, in those that they import and that may change: the
// first of each line, as gofmt has them. The go command would take seconds to find the same. What cannot be found here has none.
func Syntax(env *Env, paths []string, alone bool) error {
	var all []error
	seen := map[string]bool{}
	for next := paths; len(next) > 0; {
		var imports []string
		for _, path := range next {
			if seen[path] {
				continue
			}
			seen[path] = true
			if place, err := env.Find(path, false); err == nil && !place.Std && env.own(place.Dir) {
				more, errs := env.syntax(place.Dir)
				imports, all = append(imports, more...), append(all, errs...)
			}
		}
		if next = imports; alone {
			break
		}
	}
	return errors.Join(all...)
}

// syntax returns what the files of a directory import, as far as that can be read, and their syntax errors.
func (e *Env) syntax(dir string) (imports []string, errs []error) {
	_ = e.Files(dir, func(name string, src []byte) error { // another error is for the go command to report
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), src, parser.SkipObjectResolution)
		if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
			for _, one := range list {
				errs = append(errs, one)
			}
		}
		for _, spec := range f.Imports {
			imports = append(imports, importPath(spec))
		}
		return nil
	})
	return imports, errs
}
