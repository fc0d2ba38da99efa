package load

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/tools/go/packages"
)

// check type-checks all packages, each after those that it imports.
func (l *loader) check(ctx context.Context) (*Graph, error) {
	for _, path := range sortedKeys(l.nodes) {
		n := l.nodes[path]
		for imported, full := range n.names {
			n.pkg.Imports[imported] = l.nodes[full].pkg
		}
	}
	var all sync.WaitGroup
	for _, path := range sortedKeys(l.nodes) {
		all.Go(func() { l.checkOne(ctx, l.nodes[path]) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	g := &Graph{Fset: l.fset, Packages: map[string]*packages.Package{}, Local: map[string][]Source{}}
	for _, path := range sortedKeys(l.nodes) {
		n := l.nodes[path]
		g.Packages[path] = n.pkg
		if n.local {
			g.Local[filepath.Dir(n.pkg.GoFiles[0])] = n.sources
		}
		if l.whole[path] {
			g.Wrong = append(g.Wrong, n.errs...)
		}
	}
	return g, nil
}

// checkOne type-checks a package. Errors are kept, and looked at by none but those who know what was dropped.
func (l *loader) checkOne(ctx context.Context, n *node) {
	n.once.Do(func() {
		var deps sync.WaitGroup
		for _, full := range n.names {
			deps.Go(func() { l.checkOne(ctx, l.nodes[full]) })
		}
		deps.Wait()
		l.slots <- struct{}{}
		defer func() { <-l.slots }()
		if ctx.Err() != nil {
			return
		}
		conf := types.Config{
			IgnoreFuncBodies: true,
			FakeImportC:      true,
			Importer:         importer(func(path string) (*types.Package, error) { return l.imported(n, path) }),
			Error: func(err error) {
				e, ok := err.(types.Error) //nolint:errorlint // go/types hands out this very type
				if ok && inTypeDecl(n.pkg.Syntax, e.Pos) {
					n.errs = append(n.errs, e)
				}
			},
			DisableUnusedImportCheck: true,
		}
		if n.pkg.Module != nil && n.pkg.Module.GoVersion != "" {
			conf.GoVersion = "go" + n.pkg.Module.GoVersion
		}
		n.pkg.Types = types.NewPackage(n.pkg.PkgPath, n.pkg.Name)
		_ = types.NewChecker(&conf, l.fset, n.pkg.Types, nil).Files(n.pkg.Syntax) // errors went to conf.Error
		for _, f := range n.pkg.Syntax {
			f.Decls, f.Imports, f.Unresolved = nil, nil, nil // from here on it is the types and comments that count
		}
	})
}

// inTypeDecl tells whether an error stands in the declaration of a type. Elsewhere it may follow from what was dropped.
func inTypeDecl(files []*ast.File, pos token.Pos) bool {
	for _, f := range files {
		if pos < f.FileStart || pos >= f.FileEnd {
			continue
		}
		return slices.ContainsFunc(f.Decls, func(decl ast.Decl) bool {
			d, ok := decl.(*ast.GenDecl)
			return ok && d.Tok == token.TYPE && d.Pos() <= pos && pos < d.End()
		})
	}
	return false
}

func (l *loader) imported(n *node, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	dep := l.nodes[n.names[path]]
	if dep == nil || dep.pkg.Types == nil {
		return nil, fmt.Errorf("%s is not loaded", path)
	}
	return dep.pkg.Types, nil
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }
