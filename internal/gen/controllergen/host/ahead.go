// SPDX-License-Identifier: Apache-2.0

package host

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"
)

// ahead parses the packages that a type check of controller-tools is going to ask for, side by side and without the bodies of
// functions that never change: it reads none. It follows references as [loader.TypeChecker] does; a package that it misses, or that
// is not Go, is parsed when it is asked for, as upstream does it.
type ahead struct {
	parsed  *syntax
	fixed   []string // directories whose files never change
	filters []loader.NodeFilter

	slots chan struct{}
	group sync.WaitGroup
	mu    sync.Mutex
	seen  map[*packages.Package]bool
}

func parseAhead(parsed *syntax, fixed []string, filters []loader.NodeFilter, roots []*packages.Package) {
	a := &ahead{parsed: parsed, fixed: fixed, filters: filters, slots: make(chan struct{}, runtime.GOMAXPROCS(0)), seen: map[*packages.Package]bool{}}
	for _, p := range roots {
		a.want(p)
	}
	a.group.Wait()
}

// want has a package parsed, and those that its types refer to, once.
func (a *ahead) want(p *packages.Package) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen[p] {
		return
	}
	a.seen[p] = true
	a.group.Add(1)
	go func() {
		defer a.group.Done()
		a.slots <- struct{}{}
		if p.Syntax == nil {
			p.Syntax = a.parsed.once(p, a.parse)
		}
		<-a.slots
		for _, f := range p.Syntax {
			a.follow(p, f)
		}
	}()
}

// parse returns nil where there is an error.
func (a *ahead) parse(p *packages.Package) []*ast.File {
	var files []*ast.File
	for _, name := range p.CompiledGoFiles {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		for _, dir := range a.fixed {
			if dir != "" && strings.HasPrefix(name, dir+string(filepath.Separator)) {
				src = bodiless(src)
				break
			}
		}
		f, err := parser.ParseFile(a.parsed.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		files = append(files, f)
	}
	return files
}

// follow looks for the packages that types of a file refer to.
func (a *ahead) follow(p *packages.Package, f *ast.File) {
	names := map[string]*packages.Package{}
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		imported := p.Imports[path]
		switch {
		case err != nil || imported == nil:
		case spec.Name == nil:
			names[imported.Name] = imported
		case spec.Name.Name == ".":
			a.want(imported)
		default:
			names[spec.Name.Name] = imported
		}
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, spec := range g.Specs {
			ast.Inspect(spec.(*ast.TypeSpec).Type, func(n ast.Node) bool {
				if n == nil || !a.interesting(n) {
					return false
				}
				if s, ok := n.(*ast.SelectorExpr); ok {
					if id, ok := s.X.(*ast.Ident); ok && names[id.Name] != nil {
						a.want(names[id.Name])
					}
				}
				return true
			})
		}
	}
}

// interesting is controller-tools' rule: one filter is enough, and without any all is.
func (a *ahead) interesting(n ast.Node) bool {
	for _, filter := range a.filters {
		if filter(n) {
			return true
		}
	}
	return len(a.filters) == 0
}
