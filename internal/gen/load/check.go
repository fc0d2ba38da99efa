// SPDX-License-Identifier: Apache-2.0

package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// checkGenerated type-checks a package, unless it or one that it imports could not be loaded.
func (w *program) checkGenerated(p *pkg) {
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
	if p.lost != nil {
		return
	}
	if !p.target {
		w.check(p, p.syntax(), func(types.Error) {}) // what is wrong with others is not what is asked
		return
	}
	var files []*ast.File
	for _, f := range p.files {
		if f.syntax.Name.Name == p.name {
			files = append(files, f.syntax)
		}
	}
	c := collector{pkg: p, fset: w.fset}
	w.check(p, files, c.add)
	p.errs = append(p.errs, c.found...)
}

// collector keeps the errors that are about generated files.
type collector struct {
	pkg   *pkg
	fset  *token.FileSet
	found []TypeError
	last  *TypeError // an error outside of generated files, of which the next may say that one is involved
}

func (c *collector) add(e types.Error) {
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
	found := TypeError{Pos: at, Msg: e.Msg, Follows: mayFollow(e.Msg)}
	if found.Follows && c.pkg.shaky || slices.ContainsFunc(c.pkg.errs, func(known TypeError) bool { return known.Pos == at }) {
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

func lacks(e TypeError) bool { return e.Lacks != "" }

func allLack(errs []TypeError) bool {
	return !slices.ContainsFunc(errs, func(e TypeError) bool { return !lacks(e) })
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
