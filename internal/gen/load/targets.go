// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"context"
	"crypto/sha256"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/safefs"
)

// parseTargets parses the targets: what is on disk, with the generated files instead of their older versions.
func (w *program) parseTargets(ctx context.Context, pkgs []Target) error {
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
	if err := w.find.Want(ctx, sortedKeys(outside)); err != nil {
		return err
	}
	w.readAll(sortedKeys(outside), false)
	return nil
}

func (w *program) parseTarget(p *pkg, t Target) error {
	p.generated = t.Files
	err := t.files(w.find, func(name string, src []byte, generated bool) (err error) {
		p.sources = append(p.sources, Source{name, sha256.Sum256(src)})
		f := newFile(p, filepath.Join(p.dir, name), src)
		f.generated = generated
		if !generated {
			src = withoutBodies(src)
		}
		if f.syntax, err = parser.ParseFile(w.fset, f.name, src, parser.SkipObjectResolution); err != nil {
			if !generated {
				return nil // the compiler has the words for it
			}
			return err
		}
		f.specs = f.syntax.Imports
		p.files = append(p.files, f)
		return nil
	})
	p.name = clause(p, &p.errs, w.fset)
	return err
}

// files calls each with the files of a target that belong to the build, in the order of their names.
func (t Target) files(find Finder, each func(name string, src []byte, generated bool) error) error {
	names := slices.Collect(maps.Keys(t.Files))
	entries, err := os.ReadDir(t.Dir)
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
			if src, err = safefs.ReadFile(filepath.Join(t.Dir, name), safefs.MaxFile); err != nil {
				return err
			}
		}
		if ok, err := find.Match(t.Dir, name, src); err != nil || !ok {
			continue // what go/build cannot read, the loader has reported
		}
		if err := each(name, src, generated); err != nil {
			return err
		}
	}
	return nil
}

// Sources are the files of a target that belong to the build, as a check would read them now.
func (t Target) Sources(find Finder) (all []Source, err error) {
	err = t.files(find, func(name string, src []byte, _ bool) error {
		all = append(all, Source{name, sha256.Sum256(src)})
		return nil
	})
	return all, err
}

// clause is the name of the package in the generated files. Another name elsewhere is an error, with its place.
func clause(p *pkg, errs *[]TypeError, fset *token.FileSet) string {
	name, from := "", ""
	for _, f := range p.files {
		if f.generated {
			name, from = f.syntax.Name.Name, filepath.Base(fset.Position(f.syntax.Pos()).Filename)
			break
		}
	}
	for _, f := range p.files {
		if own := f.syntax.Name; own.Name != name {
			*errs = append(*errs, TypeError{Pos: fset.Position(own.Pos()), Msg: "package " + own.Name + ": " + from + " is generated with package " + name + ", the name of the directory; " +
				"rename the package to " + name + ", or the directory to " + own.Name})
			break
		}
	}
	return cmp.Or(name, p.path)
}

func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name[0] != '_' && name[0] != '.'
}
