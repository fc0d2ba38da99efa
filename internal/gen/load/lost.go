// SPDX-License-Identifier: Apache-2.0

package load

import (
	"errors"
	"fmt"
	"go/scanner"
	"strings"
)

// LostError is why a package cannot be loaded: it is missing, does not parse, or imports itself by way of others.
type LostError struct {
	Path string
	// Roots are those of the packages that the caller asked for that need it, itself included.
	Roots []string
	Err   error

	importer string // the place of an import in the project, with a colon
}

// Error returns the syntax errors or the import cycle, which have places of their own, or the error with the place of an import.
func (e *LostError) Error() string {
	if cycle, ok := errors.AsType[*CycleError](e.Err); ok {
		return cycle.Error()
	}
	if syntax, ok := e.syntax(); ok {
		return syntax.Error()
	}
	return fmt.Sprintf("%s%s: %v", e.importer, e.Path, e.Err)
}

// Unwrap returns the syntax errors, of which the go command knows no more, or the error.
func (e *LostError) Unwrap() error {
	if syntax, ok := e.syntax(); ok {
		return syntax
	}
	return e.Err
}

func (e *LostError) syntax() (scanner.ErrorList, bool) {
	return errors.AsType[scanner.ErrorList](e.Err)
}

// LostErrors are all packages that cannot be loaded. What needs none of them can be.
type LostErrors []*LostError

func (all LostErrors) Error() string {
	lines := make([]string, len(all))
	for i, e := range all {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns each error.
func (all LostErrors) Unwrap() []error {
	errs := make([]error, len(all))
	for i, e := range all {
		errs[i] = e
	}
	return errs
}

// Syntax returns those of packages that do not parse.
func (all LostErrors) Syntax() (some LostErrors) {
	for _, e := range all {
		if _, ok := e.syntax(); ok {
			some = append(some, e)
		}
	}
	return some
}

// lost returns LostErrors, or nil if all packages were read.
func (w *program) lost() error {
	var all LostErrors
	for _, p := range w.sorted() {
		if p.err != nil {
			all = append(all, &LostError{Path: p.path, Err: p.err, importer: w.importer(p)})
		}
	}
	for _, ring := range w.cycles() {
		all = append(all, &LostError{Path: ring[0].path, Err: w.cycle(ring)})
	}
	if len(all) == 0 {
		return nil
	}
	for _, root := range w.sorted() {
		if !root.whole {
			continue
		}
		needs := root.needs()
		for _, e := range all {
			if needs[w.pkgs[e.Path]] {
				e.Roots = append(e.Roots, root.path)
			}
		}
	}
	return all
}

// needs are the package and those to which its imports lead.
func (p *pkg) needs() map[*pkg]bool {
	seen := map[*pkg]bool{p: true}
	for queue := []*pkg{p}; len(queue) > 0; queue = queue[1:] {
		for _, next := range queue[0].imports {
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return seen
}
