package typecheck

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// typeCheck checks all packages, each after those that it imports.
func (w *program) typeCheck(ctx context.Context) {
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for _, p := range w.sorted() {
		all.Go(func() { w.checkOne(ctx, p, slots) })
	}
	all.Wait()
}

func (w *program) checkOne(ctx context.Context, p *pkg, slots chan struct{}) {
	p.once.Do(func() {
		var deps sync.WaitGroup
		for _, imported := range p.imports {
			deps.Go(func() { w.checkOne(ctx, imported, slots) })
		}
		deps.Wait()
		slots <- struct{}{}
		defer func() { <-slots }()
		if ctx.Err() != nil {
			return
		}
		p.shaky = slices.ContainsFunc(p.errs, lacks)
		if p.err != nil || !allLack(p.errs) {
			p.lost = p
		}
		for _, path := range sortedKeys(p.imports) {
			p.shaky = p.shaky || p.imports[path].shaky
			if p.lost == nil {
				p.lost = p.imports[path].lost
			}
		}
		if p.lost == nil {
			w.checkFiles(p)
		}
	})
}

func (w *program) checkFiles(p *pkg) {
	conf := types.Config{
		FakeImportC:              true,
		Importer:                 importer(func(path string) (*types.Package, error) { return p.imported(path) }),
		IgnoreFuncBodies:         !p.target,
		DisableUnusedImportCheck: !p.target,
		Error:                    func(error) {}, // what is wrong with others is not what is asked
	}
	if v := "go" + p.goVersion; p.goVersion != "" && version.Compare(v, runtime.Version()) <= 0 {
		conf.GoVersion = v
	}
	var files []*ast.File
	for _, f := range p.files {
		if p.target {
			if f.syntax.Name.Name == p.name {
				files = append(files, f.syntax)
			}
			continue
		}
		if len(f.decls) > 0 {
			files = append(files, f.whole())
		}
	}
	c := collector{pkg: p, fset: w.fset}
	if p.target {
		conf.Error = c.add
	}
	p.types = types.NewPackage(p.path, p.name)
	_ = types.NewChecker(&conf, w.fset, p.types, nil).Files(files) // errors went to conf.Error
	p.errs = append(p.errs, c.found...)
}

// whole is the syntax of a file of an imported package, with what was reached.
func (f *file) whole() *ast.File {
	var specs []ast.Spec
	for _, spec := range f.specs {
		if f.kept[spec] {
			specs = append(specs, spec)
		}
	}
	f.syntax.Decls = f.decls
	if len(specs) > 0 {
		f.syntax.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, TokPos: f.syntax.Name.End(), Specs: specs}}, f.decls...)
	}
	return f.syntax
}

func (p *pkg) imported(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if dep := p.imports[path]; dep != nil && dep.types != nil {
		return dep.types, nil
	}
	return nil, fmt.Errorf("%s is not loaded", path)
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// collector keeps the errors that are about generated files.
type collector struct {
	pkg   *pkg
	fset  *token.FileSet
	found []Error
	last  *Error // an error outside of generated files, of which the next may say that one is involved
}

func (c *collector) add(err error) {
	e, ok := err.(types.Error) //nolint:errorlint // go/types hands out this very type
	if !ok {
		return
	}
	at := c.fset.Position(e.Pos)
	if more, ok := strings.CutPrefix(e.Msg, "\t"); ok { // a second place of the error before
		if c.last != nil && c.isGenerated(at.Filename) {
			c.last.Msg += fmt.Sprintf("; %s is at %s", strings.TrimPrefix(more, "other "), at)
			c.found = append(c.found, *c.last)
			c.last = nil
		}
		return
	}
	c.last = nil
	found := Error{Pos: at, Msg: e.Msg, Follows: mayFollow(e.Msg)}
	if found.Follows && c.pkg.shaky || slices.ContainsFunc(c.pkg.errs, func(known Error) bool { return known.Pos == at }) {
		return
	}
	if c.isGenerated(at.Filename) || c.mentions(e.Msg) {
		c.found = append(c.found, found)
		return
	}
	c.last = &found
}

// mayFollow reports whether an error may be about a type that is not known since its name is not declared.
func mayFollow(msg string) bool {
	return !strings.HasPrefix(msg, "undefined: ") && !strings.HasSuffix(msg, " imported and not used") &&
		!strings.Contains(msg, " redeclared") && !strings.Contains(msg, " already declared")
}

func lacks(e Error) bool { return e.Lacks != "" }

func allLack(errs []Error) bool {
	return !slices.ContainsFunc(errs, func(e Error) bool { return !lacks(e) })
}

func (c *collector) isGenerated(file string) bool {
	_, ok := c.pkg.generated[filepath.Base(file)]
	return ok && filepath.Dir(file) == c.pkg.dir
}

// mentions reports whether a message has the place of a generated file in it, as those about methods that are declared twice.
func (c *collector) mentions(msg string) bool {
	_, at, ok := strings.Cut(msg, "already declared at ")
	file, _, _ := strings.Cut(filepath.Base(at), ":")
	_, generated := c.pkg.generated[file]
	return ok && generated
}
