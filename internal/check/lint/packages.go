// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"context"
	"errors"
	"go/ast"
	"go/scanner"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/gen/diag"
	loader "github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/workspace"
)

// pkg is a package of API types.
type pkg struct {
	*packages.Package
	root, dir string // the directory is relative to the root, slash-separated
	decls     []decl
	docs      map[*ast.TypeSpec]*ast.CommentGroup
	torn      map[*ast.TypeSpec]bool // they lack fields that do not compile
}

// load parses and type-checks the packages, module by module. What does not compile is left out, and is an error of its own.
func load(ctx context.Context, s Source) (all []*pkg, uncompiled, err error) {
	modules := map[string][]string{}
	dirs := map[string]string{} // by import path
	paths := workspace.ImportPaths{}
	for _, dir := range s.Dirs {
		abs := filepath.Join(s.Root, filepath.FromSlash(dir))
		path, err := paths.Of(abs)
		if err != nil {
			return nil, nil, err
		}
		module := workspace.Above(abs, "go.mod")
		modules[module] = append(modules[module], path)
		dirs[path] = dir
	}
	files := map[string]map[string][]byte{}
	for dir, some := range s.Files {
		files[filepath.Join(s.Root, filepath.FromSlash(dir))] = some
	}
	var syntax []error
	var wrong []string
	for _, module := range sortedKeys(modules) {
		loaded, err := declared(ctx, module, modules[module], files)
		if list := (scanner.ErrorList)(nil); errors.As(err, &list) && len(files) == 0 {
			// The others are judged, unless they import what does not parse.
			others := slices.DeleteFunc(modules[module], func(path string) bool {
				dir := filepath.Join(s.Root, filepath.FromSlash(dirs[path]))
				return slices.ContainsFunc(list, func(e *scanner.Error) bool { return filepath.Dir(e.Pos.Filename) == dir })
			})
			syntax = append(syntax, err)
			if loaded, err = nil, nil; len(others) > 0 {
				loaded, err = declared(ctx, module, others, files)
			}
			if errors.As(err, &list) {
				continue
			}
		}
		if err != nil {
			return nil, nil, err
		}
		for _, p := range loaded {
			for _, e := range p.TypeErrors {
				wrong = append(wrong, e.Error())
			}
			p.Syntax = slices.DeleteFunc(p.Syntax, ast.IsGenerated)
			one := &pkg{Package: p, root: s.Root, dir: dirs[p.PkgPath]}
			if len(p.TypeErrors) > 0 {
				one.tear()
			}
			one.index()
			all = append(all, one)
		}
	}
	return all, errors.Join(append(syntax, diag.New("the API packages do not compile", s.Root, wrong...))...), nil
}

// declared loads packages of a module without the go command, if that is possible.
func declared(ctx context.Context, module string, paths []string, files map[string]map[string][]byte) ([]*packages.Package, error) {
	env, err := loader.NewEnv(ctx, module)
	if err == nil {
		var all []*packages.Package
		if all, err = loader.Declared(ctx, env, paths, files); err == nil {
			return all, nil
		}
	}
	if syntax := (scanner.ErrorList)(nil); errors.As(err, &syntax) {
		return nil, syntax // the go command, which takes a second, says the same
	}
	if !errors.Is(err, loader.ErrUnsupported) {
		return nil, err
	}
	return loader.Declared(ctx, loader.NewListed(module), paths, files)
}
