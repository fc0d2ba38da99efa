// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Target is a package with generated files.
type Target struct {
	Path, Dir string
	// Files are the contents of the generated files by name. Gone are files on disk that are to be removed.
	Files map[string][]byte
	Gone  map[string]bool
	// GoVersion is the go line of its module.
	GoVersion string
}

// TypeError is an error in a generated file, or one that a generated file is the cause of.
type TypeError struct {
	Pos token.Position
	Msg string
	// Lacks is the name, such as example.com/dep.Name, that an imported package of another module does not declare.
	Lacks string
	// Follows is set if the error may follow from what an imported package lacks.
	Follows bool
}

// Unchecked is a package that was not checked, since a package that it needs could not be loaded.
type Unchecked struct {
	Path string
	// Import is the package that could not be loaded, and Err the reason.
	Import string
	Err    error
}

// Report is the result of a check.
type Report struct {
	Errors    []TypeError
	Unchecked []Unchecked
	// Local are the directories outside of the module cache and of Go itself that were read.
	Local []string
	// Read are the packages in these, by their paths.
	Read map[string]Read

	torn bool // see program
}

// Read is a package that can change, as a check read it.
type Read struct {
	Dir     string
	Sources []Source
	// Leads are the paths to which its imports lead, its own among them: packages that can change, and those that cannot be loaded. Only
	// targets have them.
	Leads []string
}

// TypeCheck type-checks packages with generated files. These are checked whole, the files next to them without function bodies, and
// of the packages that they import there is what they lead to: a client uses a fraction of client-go and of net/http. What is
// left out of an import can only hide errors or invent them; so where there are errors, a check with all files whole decides.
func TypeCheck(ctx context.Context, find Finder, pkgs []Target) (*Report, error) {
	quick, err := typeCheck(ctx, find, pkgs, true)
	if err == nil && (quick.torn || !allLack(quick.Errors)) {
		return typeCheck(ctx, find, pkgs, false)
	}
	return quick, err
}

func typeCheck(ctx context.Context, find Finder, pkgs []Target, quick bool) (*Report, error) {
	w := newProgram(find)
	w.cut, w.lean = quick, quick
	if err := w.parseTargets(ctx, pkgs); err != nil {
		return nil, err
	}
	w.reach(ctx)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	r := &Report{}
	for _, ring := range w.cycles() {
		var names []string
		for _, p := range ring {
			names = append(names, p.path)
		}
		at := w.importPos(ring[0], ring[1%len(ring)])
		r.Errors = append(r.Errors, TypeError{Pos: at, Msg: fmt.Sprintf("import cycle not allowed: %s import each other", strings.Join(names, ", "))})
	}
	if len(r.Errors) > 0 {
		return r, nil
	}
	w.inOrder(ctx, w.checkGenerated)
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return w.report(), nil
}

// report gathers what was found, in the order of packages and positions.
func (w *program) report() *Report {
	r := &Report{torn: w.torn, Read: map[string]Read{}}
	for _, p := range w.sorted() {
		if p.local && p.dir != "" {
			r.Local = append(r.Local, p.dir)
			r.Read[p.path] = Read{Dir: p.dir, Sources: p.sources, Leads: p.leads()}
		}
		if !p.target {
			continue
		}
		if lost := p.lost; lost != nil {
			if lost.target {
				r.Errors = append(r.Errors, p.errs...)
				continue // it follows from the errors of that one
			}
			r.Unchecked = append(r.Unchecked, Unchecked{Path: p.path, Import: lost.path, Err: lost.err})
			continue
		}
		r.Errors = append(r.Errors, p.errs...)
	}
	slices.Sort(r.Local)
	r.Local = slices.Compact(r.Local)
	slices.SortStableFunc(r.Errors, func(a, b TypeError) int {
		return cmp.Or(cmp.Compare(filepath.ToSlash(a.Pos.Filename), filepath.ToSlash(b.Pos.Filename)),
			cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Msg, b.Msg))
	})
	return r
}

// leads are the packages to which the imports of a target lead: those that can change, and those that cannot be loaded.
func (p *pkg) leads() (paths []string) {
	if !p.target {
		return nil
	}
	seen := map[*pkg]bool{p: true}
	for queue := []*pkg{p}; len(queue) > 0; queue = queue[1:] {
		if queue[0].local || queue[0].err != nil {
			paths = append(paths, queue[0].path)
		}
		for _, imported := range queue[0].imports {
			if !seen[imported] {
				seen[imported] = true
				queue = append(queue, imported)
			}
		}
	}
	slices.Sort(paths)
	return paths
}
