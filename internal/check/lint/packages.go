// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/gen/diag"
	loader "github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/text"
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
	var lost []error
	var wrong []string
	for _, module := range sortedKeys(modules) {
		loaded, left, err := loadable(ctx, module, modules[module], files)
		if err != nil {
			return nil, nil, err
		}
		for _, e := range left {
			lost = append(lost, leftOut(e, s.Root, dirs))
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
	return all, errors.Join(append(lost, diag.New("the API packages do not compile", s.Root, wrong...))...), nil
}

// loadable loads the packages of a module that can be loaded, and returns why others cannot. Of an older state it loads all or none: the findings
// of a package that is left out there would count as new.
func loadable(ctx context.Context, module string, paths []string, files map[string]map[string][]byte) (loaded []*packages.Package, left loader.LostErrors, err error) {
	for len(paths) > 0 {
		loaded, err = declared(ctx, module, paths, files)
		lost, ok := errors.AsType[loader.LostErrors](err)
		if !ok || len(files) > 0 {
			return loaded, left, err
		}
		kept := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
			return slices.ContainsFunc(lost, func(e *loader.LostError) bool { return slices.Contains(e.Roots, path) })
		})
		if len(kept) == len(paths) {
			return nil, nil, err
		}
		paths, left = kept, append(left, lost...)
	}
	return nil, left, nil
}

// named is how many packages an error names.
const named = 5

// leftOut is the error of packages that are not judged. It names them if there are several: the error itself has one place.
func leftOut(e *loader.LostError, root string, dirs map[string]string) error {
	err := error(e)
	if cycle, ok := errors.AsType[*loader.CycleError](err); ok {
		err = diag.New("cannot load the API packages", root, "import cycle not allowed:", strings.Join(cycle.Imports, "\n"))
	}
	if len(e.Roots) == 1 {
		return err
	}
	var left []string
	for _, path := range e.Roots {
		left = append(left, dirs[path])
	}
	slices.Sort(left)
	return fmt.Errorf("%w\npackages that need %s, and are not judged: %s", err, e.Path, text.First(left, named))
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
	if lost, ok := errors.AsType[loader.LostErrors](err); ok {
		if syntax := lost.Syntax(); len(syntax) > 0 {
			return nil, syntax // the go command, which takes a second, says the same
		}
	}
	if !errors.Is(err, loader.ErrUnsupported) {
		return nil, err
	}
	return loader.Declared(ctx, loader.NewListed(module), paths, files)
}
