// SPDX-License-Identifier: Apache-2.0

package load

import (
	"crypto/sha256"
	"fmt"
	"go/parser"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"
)

// imported is the package of an import, whose files are read when it is asked for first.
func (w *program) imported(path string, from *pkg) *pkg {
	if p, ok := from.imports[path]; ok {
		return p
	}
	full := path
	if first, _, _ := strings.Cut(path, "/"); from.std && strings.Contains(first, ".") {
		full = "vendor/" + path // as the go command calls what Go itself vendors
	}
	p, ok := w.pkgs[full]
	if !ok {
		p = newPackage(full)
		w.pkgs[full] = p
		p.err = w.read(p, path, from.std)
	}
	from.imports[path] = p
	return p
}

func newPackage(path string) *pkg {
	return &pkg{path: path, decls: map[string][]*chunk{}, members: map[string][]*chunk{}, reached: map[string]bool{}, imports: map[string]*pkg{}}
}

// readAll reads packages at the same time. Each has its own error.
func (w *program) readAll(paths []string, whole bool) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, path := range paths {
		if w.pkgs[path] != nil {
			continue
		}
		p := newPackage(path)
		p.whole = whole
		w.pkgs[path] = p
		group.Go(func() error {
			p.err = w.read(p, path, false)
			return nil
		})
	}
	_ = group.Wait()
}

// read finds a package and indexes its declarations.
func (w *program) read(p *pkg, path string, fromStd bool) error {
	place, err := w.find.Find(path, fromStd)
	if err != nil {
		return err
	}
	p.dir, p.std, p.module = place.Dir, place.Std, place.Module
	if p.module != nil {
		p.goVersion = p.module.GoVersion
	}
	p.local = !place.Std && w.find.Local(place.Dir)
	p.own = p.local || p.module != nil && p.module.Main
	err = w.find.Files(p.dir, func(name string, src []byte) error {
		f := newFile(p, filepath.Join(p.dir, name), src)
		// Local files need not be formatted, and of a doc.go all comments count.
		cut := w.cut && !p.whole && !p.local && name != "doc.go"
		if cut && (!w.split(f) || p.name == "" && !f.parseHead()) {
			cut = false
			p.forget(f)
		}
		if !cut {
			syntax, err := parser.ParseFile(w.fset, f.name, withoutBodies(src), w.mode(p))
			if err != nil {
				return fmt.Errorf("%w: %w", ErrUnsupported, err)
			}
			f.head, f.syntax, f.specs = nil, syntax, syntax.Imports
			if (w.declared || w.bodies) && p.whole {
				f.original, f.all = syntax.Decls, w.bodies
			}
			for _, d := range syntax.Decls {
				f.addDecl(d)
			}
			f.syntax.Decls = nil
		}
		if p.name == "" {
			p.name = f.syntax.Name.Name
		}
		if w.comments && f.syntax != nil && f.syntax.Name.Name != p.name {
			return fmt.Errorf("%w: the directory has packages %s and %s", ErrUnsupported, p.name, f.syntax.Name.Name)
		}
		if p.local {
			p.sources = append(p.sources, Source{name, sha256.Sum256(src)})
		}
		p.files = append(p.files, f)
		return nil
	})
	if err == nil && len(p.files) == 0 {
		return fmt.Errorf("%w: no Go files for this build", ErrUnsupported)
	}
	return err
}

// mode is how the files of a package are parsed: those of Go itself have no tags.
func (w *program) mode(p *pkg) parser.Mode {
	if w.declared && p.whole {
		return parser.ParseComments // with objects: linters ask for them
	}
	if w.comments && !p.std || w.bodies && p.whole {
		return parser.SkipObjectResolution | parser.ParseComments
	}
	return parser.SkipObjectResolution
}

// parseHead parses the package clause and the imports, which few of the files that are cut are asked for.
func (f *file) parseHead() bool {
	if f.head != nil && f.head() == nil {
		f.head = nil
	}
	return f.head == nil
}

// forget takes the declarations of a file out of the index.
func (p *pkg) forget(f *file) {
	f.chunks = nil
	for _, index := range []map[string][]*chunk{p.decls, p.members} {
		for name, chunks := range index {
			kept := chunks[:0]
			for _, c := range chunks {
				if c.file != f {
					kept = append(kept, c)
				}
			}
			index[name] = kept
		}
	}
}

// lookup is the package that a name in a file stands for, or nil. Only packages that may have the name are read.
func (w *program) lookup(f *file, name string) *pkg {
	if p, ok := f.names[name]; ok {
		return p
	}
	var found *pkg
	for _, guessed := range []bool{true, false} {
		if !guessed && f.pkg.std {
			break // Go's own packages are called what their paths end in
		}
		for _, spec := range f.specs {
			p := importPath(spec)
			if p == "" || found != nil || spec.Name == nil && guess(p, name) != guessed || spec.Name != nil && spec.Name.Name != name {
				continue
			}
			if candidate := w.imported(p, f.pkg); spec.Name != nil || candidate.name == name || candidate.err != nil && guessed {
				found = candidate
				f.kept[spec] = true
			}
		}
	}
	f.names[name] = found
	return found
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// guess reports whether a package with this path may well have that name: k8s.io/klog/v2 is klog, gopkg.in/yaml.v3 is yaml.
func guess(p, name string) bool {
	base := path.Base(p)
	if majorVersion.MatchString(base) && base != name {
		base = path.Base(path.Dir(p))
	}
	short, _, _ := strings.Cut(base, ".v")
	short = strings.TrimSuffix(strings.TrimPrefix(short, "go-"), "-go")
	return base == name || short == name || strings.ReplaceAll(short, "-", "_") == name || strings.ReplaceAll(short, "-", "") == name
}
