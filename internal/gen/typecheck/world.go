package typecheck

import (
	"cmp"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/safefs"
)

// program is one check.
type program struct {
	find  Finder
	exact bool
	fset  *token.FileSet
	pkgs  map[string]*pkg

	// torn is set if a file is not formatted as gofmt would: not all of its declarations were read.
	torn  bool
	queue []*chunk
	// selected are all names that the targets select, methods those and the methods of all interfaces that are reached.
	selected, methods map[string]bool
	// pending are methods of types that are reached, by the name that nothing has asked for yet.
	pending map[string][]*chunk
}

// pkg is a package: a target, or one that is imported.
type pkg struct {
	path, name, dir string
	std, local      bool
	target          bool
	generated       map[string][]byte
	goVersion       string
	files           []*file
	decls           map[string][]*chunk // by name
	members         map[string][]*chunk // methods by their receiver's type
	reached         map[string]bool     // names that were looked up
	missing         map[string]bool     // names that were looked for in all its files, and whether they are in none
	imports         map[string]*pkg     // by path, of all files
	err             error               // it cannot be loaded

	once  sync.Once // type-checks it
	types *types.Package
	lost  *pkg // the package, it or one that it imports, that cannot be loaded
	// shaky is set if it, or a package that it imports, uses what an import lacks: only errors that cannot follow from that count.
	shaky bool
	errs  []Error
}

// file is a file of a package.
type file struct {
	pkg       *pkg
	fset      *token.FileSet
	syntax    *ast.File // whole in a target; elsewhere the head, and the declarations that were reached
	src       []byte
	head      func() error // parses the head, and is nil once it did
	generated bool
	specs     []*ast.ImportSpec
	names     map[string]*pkg // imports by the name that stands in the file; nil for a name that is not an import
	kept      map[*ast.ImportSpec]bool
	decls     []ast.Decl
	dots      []*pkg
}

func newProgram(find Finder, exact bool) *program {
	return &program{
		find: find, exact: exact, fset: token.NewFileSet(), pkgs: map[string]*pkg{},
		selected: map[string]bool{}, methods: map[string]bool{}, pending: map[string][]*chunk{},
	}
}

func (w *program) sorted() []*pkg {
	var all []*pkg
	for _, path := range slices.Sorted(maps.Keys(w.pkgs)) {
		all = append(all, w.pkgs[path])
	}
	return all
}

// parseTargets parses the targets: what is on disk, with the generated files instead of their older versions.
func (w *program) parseTargets(ctx context.Context, pkgs []Package) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, t := range pkgs {
		p := &pkg{path: t.Path, dir: t.Dir, target: true, local: true, imports: map[string]*pkg{}, goVersion: t.GoVersion}
		w.pkgs[t.Path] = p
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return w.parseTarget(p, t)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	outside := map[string]bool{}
	for _, p := range w.sorted() {
		for _, f := range p.files {
			for _, spec := range f.specs {
				if path := importPath(spec); path != "" && w.pkgs[path] == nil {
					outside[path] = true
				}
			}
		}
	}
	if err := w.find.Want(ctx, slices.Sorted(maps.Keys(outside))); err != nil {
		return err
	}
	w.readAll(slices.Sorted(maps.Keys(outside)))
	return nil
}

func (w *program) parseTarget(p *pkg, t Package) error {
	names := slices.Collect(maps.Keys(t.Files))
	p.generated = t.Files
	entries, err := os.ReadDir(p.dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if _, ours := t.Files[name]; ours || t.Gone[name] || !e.Type().IsRegular() || !isSource(name) {
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		src, generated := t.Files[name]
		if !generated {
			if src, err = safefs.ReadFile(filepath.Join(p.dir, name), safefs.MaxFile); err != nil {
				return err
			}
		}
		if ok, err := w.find.Match(p.dir, name, src); err != nil || !ok {
			continue // what go/build cannot read, the loader has reported
		}
		f := &file{pkg: p, fset: w.fset, src: src, generated: generated, names: map[string]*pkg{}, kept: map[*ast.ImportSpec]bool{}}
		if f.syntax, err = parser.ParseFile(w.fset, filepath.Join(p.dir, name), src, parser.SkipObjectResolution); err != nil {
			if !generated {
				continue // the compiler has the words for it
			}
			return err
		}
		f.specs = f.syntax.Imports
		p.files = append(p.files, f)
	}
	p.name = clause(p, &p.errs, w.fset)
	return nil
}

// clause is the name of the package in the generated files. Another name elsewhere is an error, with its place.
func clause(p *pkg, errs *[]Error, fset *token.FileSet) string {
	name, from := "", ""
	for _, f := range p.files {
		if f.generated {
			name, from = f.syntax.Name.Name, filepath.Base(fset.Position(f.syntax.Pos()).Filename)
			break
		}
	}
	for _, f := range p.files {
		if own := f.syntax.Name; own.Name != name {
			*errs = append(*errs, Error{Pos: fset.Position(own.Pos()), Msg: "package " + own.Name + ": " + from + " is generated with package " + name + ", the name of the directory; " +
				"rename the package to " + name + ", or the directory to " + own.Name})
			break
		}
	}
	return cmp.Or(name, p.path)
}

func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name[0] != '_' && name[0] != '.'
}

// importPath is the path of an import; empty for "C" and unsafe, which are no packages.
func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil || path == "C" || path == "unsafe" {
		return ""
	}
	return path
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
