// Package load parses and type-checks the Go packages that generators read, from source, and no more of them than
// declarations: function bodies are dropped, and of packages that are merely imported everything but types, their
// methods and constants. What only dropped code imports is not loaded at all, which is most of a program.
//
// It finds packages by go.mod, without the go command, and gives up with ErrUnsupported on what it does not know for sure:
// the go command's own words on missing modules, ambiguous imports and the like are for its callers to get.
package load

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"
)

// ErrUnsupported says that the go command must load the packages.
var ErrUnsupported = errors.New("not plain")

// Graph is what was loaded. Its packages have Types and Syntax, and refer to each other in Imports.
type Graph struct {
	Fset *token.FileSet
	// Packages has all packages by import path.
	Packages map[string]*packages.Package
	// Local are the files that were read of packages outside of the module cache and of Go itself, by their absolute
	// folders: those that can change. A graph that the go command loaded does not tell.
	Local map[string][]Source
	// Wrong are the type errors in the type declarations of the packages that were asked for.
	Wrong []types.Error
}

// Packages loads packages and what their declarations need. Those in whole keep their functions, variables and
// comments; the others are pruned.
func Packages(ctx context.Context, env *Env, whole []string) (*Graph, error) {
	l := &loader{
		env:   env,
		whole: map[string]bool{},
		fset:  token.NewFileSet(),
		nodes: map[string]*node{},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
	}
	for _, path := range whole {
		l.whole[path] = true
	}
	g, parsing := errgroup.WithContext(ctx)
	l.group = g
	for _, path := range whole {
		l.want(parsing, path, nil)
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := l.acyclic(); err != nil {
		return nil, err
	}
	return l.check(ctx)
}

// node is a package on its way.
type node struct {
	pkg   *packages.Package
	std   bool
	local bool
	// sources are the files, if the package is local.
	sources []Source
	// names maps what the files import to import paths: they differ below Go's own vendor folder.
	names map[string]string

	once sync.Once // type-checks it
	errs []types.Error
}

type loader struct {
	env   *Env
	whole map[string]bool
	fset  *token.FileSet
	group *errgroup.Group
	slots chan struct{} // as many as there are processors

	mu    sync.Mutex
	nodes map[string]*node
}

// want starts to parse a package, once.
func (l *loader) want(ctx context.Context, path string, importer *node) {
	if path == "unsafe" || path == "C" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.nodes[path]; ok {
		return
	}
	n := &node{std: importer != nil && importer.std, names: map[string]string{}}
	l.nodes[path] = n
	l.group.Go(func() error {
		l.slots <- struct{}{}
		defer func() { <-l.slots }()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := l.parse(ctx, path, n); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
}
