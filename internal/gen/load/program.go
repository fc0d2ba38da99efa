// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/tools/go/packages"
)

// program is what one load or one type check reads.
type program struct {
	find Finder
	// cut files that cannot change into their declarations, and parse no more of these than is reached.
	cut bool
	// lean leaves out the methods and fields that nothing asks for.
	lean bool
	// comments are kept, and places; methods are the exported ones.
	comments bool
	// declared leaves out all but types and constants, and keeps the packages in whole with comments and the info of their types.
	declared bool
	// bodies keeps the packages in whole with the bodies of their functions and the info of their types.
	bodies bool

	fset *token.FileSet
	pkgs map[string]*pkg
	// torn is set if a file is not formatted as gofmt would: not all of its declarations were read.
	torn  bool
	queue []*chunk
	// selected are all names that the targets select, methods those and the methods of all interfaces that are reached.
	selected, methods map[string]bool
	// pending are methods of types that are reached, by the name that nothing has asked for yet.
	pending map[string][]*chunk
}

// pkg is a package.
type pkg struct {
	path, name, dir string
	std, local      bool
	own             bool // a part of the project, or in a directory that may change
	whole           bool // all of its declarations are reached
	target          bool // generated files are a part of it
	generated       map[string][]byte
	goVersion       string
	module          *packages.Module
	sources         []Source // if it is local
	files           []*file
	decls           map[string][]*chunk // by name
	members         map[string][]*chunk // methods by their receiver's type
	reached         map[string]bool     // names that were looked up
	missing         map[string]bool     // names that were looked for in all its files, and whether they are in none
	imports         map[string]*pkg     // by path, of all files
	err             error               // it cannot be loaded

	once  sync.Once // type-checks it
	types *types.Package
	info  *types.Info // if it is asked for
	wrong []types.Error
	lost  *pkg // the package, it or one that it imports, that cannot be loaded
	// shaky is set if it, or a package that it imports, uses what an import lacks: only errors that cannot follow from that count.
	shaky bool
	errs  []TypeError
}

// file is a file of a package.
type file struct {
	pkg       *pkg
	name      string
	syntax    *ast.File // whole in a target; elsewhere the head, and the declarations that were reached
	src       []byte
	head      func() error // parses the head, and is nil once it did
	generated bool
	specs     []*ast.ImportSpec
	names     map[string]*pkg // imports by the name that stands in the file; nil for a name that is not an import
	kept      map[*ast.ImportSpec]bool
	chunks    []*chunk   // if it was parsed whole
	original  []ast.Decl // all of its declarations, if they are asked for
	all       bool       // all of original counts
	decls     []ast.Decl
	dots      []*pkg
}

func newProgram(find Finder) *program {
	return &program{
		find: find, fset: token.NewFileSet(), pkgs: map[string]*pkg{},
		selected: map[string]bool{}, methods: map[string]bool{}, pending: map[string][]*chunk{},
	}
}

func newFile(p *pkg, name string, src []byte) *file {
	return &file{pkg: p, name: name, src: src, names: map[string]*pkg{}, kept: map[*ast.ImportSpec]bool{}}
}

func (w *program) sorted() []*pkg {
	var all []*pkg
	for _, path := range sortedKeys(w.pkgs) {
		all = append(all, w.pkgs[path])
	}
	return all
}

// inOrder calls do with all packages, with each after those that it imports.
func (w *program) inOrder(ctx context.Context, do func(*pkg)) {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var visit func(p *pkg)
	visit = func(p *pkg) {
		p.once.Do(func() {
			var deps sync.WaitGroup
			for _, imported := range p.imports {
				deps.Go(func() { visit(imported) })
			}
			deps.Wait()
			slots <- struct{}{}
			defer func() { <-slots }()
			if ctx.Err() == nil {
				do(p)
			}
		})
	}
	var all sync.WaitGroup
	for _, p := range w.sorted() {
		all.Go(func() { visit(p) })
	}
	all.Wait()
}

// check type-checks files of a package.
func (w *program) check(p *pkg, files []*ast.File, wrong func(types.Error)) {
	conf := types.Config{
		FakeImportC:              true,
		Importer:                 p,
		IgnoreFuncBodies:         !p.target && (!w.bodies || !p.whole),
		DisableUnusedImportCheck: !p.target,
		Error: func(err error) {
			if e, ok := err.(types.Error); ok { //nolint:errorlint // go/types hands out this very type
				wrong(e)
			}
		},
	}
	if v := "go" + p.goVersion; p.goVersion != "" && version.Compare(v, runtime.Version()) <= 0 {
		conf.GoVersion = v
	}
	p.types = types.NewPackage(p.path, p.name)
	if (w.declared || w.bodies) && p.whole {
		p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
		if w.bodies {
			p.info.Selections = map[*ast.SelectorExpr]*types.Selection{}
		}
	}
	_ = types.NewChecker(&conf, w.fset, p.types, p.info).Files(files) // errors went to conf.Error
}

// syntax are the files of an imported package, with what was reached.
func (p *pkg) syntax() (files []*ast.File) {
	for _, f := range p.files {
		if f.syntax == nil {
			continue
		}
		if f.original != nil {
			f.syntax.Decls, f.original = f.declarations(), nil
		}
		if f.syntax.Decls == nil {
			var specs []ast.Spec
			for _, spec := range f.specs {
				if f.kept[spec] || importPath(spec) == "" {
					specs = append(specs, spec)
				}
			}
			if len(specs) > 0 {
				f.syntax.Decls = append(f.syntax.Decls, &ast.GenDecl{Tok: token.IMPORT, TokPos: f.syntax.Name.End(), Specs: specs})
			}
			f.syntax.Decls = append(f.syntax.Decls, f.decls...)
		}
		files = append(files, f.syntax)
	}
	return files
}

// Import implements types.Importer.
func (p *pkg) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if dep := p.imports[path]; dep != nil && dep.types != nil {
		return dep.types, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}

// importPath is the path of an import; empty for "C" and unsafe, which are no packages.
func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || path == "C" || path == "unsafe" {
		return ""
	}
	return path
}

// sortedKeys is for walks that must not depend on the order of a map.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
