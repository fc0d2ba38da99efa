// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/build"
	"io"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Finder finds packages and their files.
type Finder interface {
	// Want names the packages that will be asked for, with all that they import.
	Want(ctx context.Context, imports []string) error
	Find(path string, fromStd bool) (Place, error)
	Files(dir string, each func(name string, src []byte) error) error
	// Match reports whether a file belongs to the build.
	Match(dir, name string, src []byte) (bool, error)
	// Local reports whether a directory can change.
	Local(dir string) bool
}

// Want is part of Finder: an Env knows all packages.
func (*Env) Want(context.Context, []string) error { return nil }

// Listed finds packages in modules of which the go command must say where they are.
type Listed struct {
	dir    string
	places map[string]Place
	files  map[string][]string // by directory
	errs   map[string]error
}

// NewListed has the go command find packages from dir.
func NewListed(dir string) *Listed {
	return &Listed{dir: dir, places: map[string]Place{}, files: map[string][]string{}, errs: map[string]error{}}
}

// Want is part of Finder.
func (l *Listed) Want(ctx context.Context, imports []string) error {
	if len(imports) == 0 {
		return nil
	}
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	env, done, err := ReadOnly(ctx, l.dir)
	if err != nil {
		return err
	}
	defer done()
	roots, err := packages.Load(&packages.Config{Context: ctx, Dir: l.dir, Env: env, Mode: mode}, imports...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil { // package packages puts the exit code of the go command before what that printed
		return errors.New(strings.TrimPrefix(err.Error(), "err: exit status 1: stderr: "))
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		// A package that the go command does not find has no module, and may have the file that imports it.
		if len(p.GoFiles) == 0 || p.Module == nil && len(p.Errors) > 0 {
			for _, e := range p.Errors {
				l.errs[p.PkgPath] = errors.Join(l.errs[p.PkgPath], errors.New(e.Msg))
			}
			return
		}
		place := Place{Dir: filepath.Dir(p.GoFiles[0]), Std: p.Module == nil, Module: p.Module}
		l.places[p.PkgPath] = place
		l.files[place.Dir] = p.GoFiles
	})
	return nil
}

// Find is part of Finder.
func (l *Listed) Find(path string, fromStd bool) (Place, error) {
	if place, ok := l.places["vendor/"+path]; ok && fromStd {
		return place, nil
	}
	if place, ok := l.places[path]; ok {
		return place, nil
	}
	if err := l.errs[path]; err != nil {
		return Place{}, err
	}
	return Place{}, fmt.Errorf("the go command does not find %s", path)
}

// Files is part of Finder.
func (l *Listed) Files(dir string, each func(name string, src []byte) error) error {
	for _, file := range l.files[dir] {
		src, err := safefs.ReadFile(file, safefs.MaxFile)
		if err != nil {
			return err
		}
		if err := each(filepath.Base(file), src); err != nil {
			return err
		}
	}
	return nil
}

// Match is part of Finder.
func (l *Listed) Match(dir, name string, src []byte) (bool, error) {
	c := build.Default
	c.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
	return c.MatchFile(dir, name)
}

// Local is part of Finder. What the go command found is not remembered, so nothing needs to be known to change.
func (l *Listed) Local(string) bool { return false }
