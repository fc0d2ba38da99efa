// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
)

// reach finds the declarations of imported packages that the targets lead to.
func (w *program) reach(ctx context.Context) {
	targets := slices.DeleteFunc(w.sorted(), func(p *pkg) bool { return !p.target })
	for _, p := range targets {
		for _, f := range p.files {
			w.selections(f)
		}
	}
	for _, p := range targets {
		for _, f := range p.files {
			w.target(f)
		}
	}
	w.follow(ctx)
}

// keepWhole visits all declarations of the packages that are kept whole, in the order of their files.
func (w *program) keepWhole() {
	var all []*chunk
	for _, p := range w.sorted() {
		for _, f := range p.files {
			for _, c := range f.chunks {
				if !w.declared || isDeclared(c.decl) {
					all = append(all, c)
				}
			}
		}
	}
	for _, c := range all {
		c.queued = true
	}
	for _, c := range all {
		w.visit(c)
	}
}

// follow visits the declarations in the queue, and what these lead to.
func (w *program) follow(ctx context.Context) {
	for len(w.queue) > 0 && ctx.Err() == nil {
		c := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.visit(c)
	}
}

// selections drops the function bodies of a file that people wrote, and gathers the names that are selected in the rest.
func (w *program) selections(f *file) {
	if !f.generated {
		for _, d := range f.syntax.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				d.Body = nil
			case *ast.GenDecl:
				dropValues(d)
			}
		}
	}
	w.selects(f.syntax)
}

// selects gathers the names that a piece of code selects, and asks for the methods of its interfaces.
func (w *program) selects(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			w.selected[n.Sel.Name], w.methods[n.Sel.Name] = true, true
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok {
				w.selected[id.Name] = true
			}
		case *ast.InterfaceType:
			w.interfaceMethods(n)
		}
		return true
	})
}

// dropValues takes the initial values from variables that say their type.
func dropValues(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR && v.Type != nil {
			v.Values = nil
		}
	}
}

// target looks for what a file of a target uses of its imports.
func (w *program) target(f *file) {
	for _, spec := range f.specs {
		path := importPath(spec)
		if path == "" {
			continue
		}
		p := w.imported(path, f.pkg)
		switch {
		case spec.Name == nil:
			f.names[p.name] = p
		case spec.Name.Name == ".":
			f.dots = append(f.dots, p)
		default:
			f.names[spec.Name.Name] = p
		}
	}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && f.names[id.Name] != nil {
				p := f.names[id.Name]
				w.need(p, n.Sel.Name)
				if f.generated && p.lacks(n.Sel.Name, w.cut) {
					f.pkg.errs = append(f.pkg.errs, TypeError{Pos: w.fset.Position(n.Sel.Pos()), Msg: "undefined: " + id.Name + "." + n.Sel.Name, Lacks: p.path + "." + n.Sel.Name})
				}
			}
		case *ast.Ident:
			for _, p := range f.dots {
				w.need(p, n.Name)
			}
		}
		return true
	})
}

// lacks reports whether a package that cannot change surely declares no such name: no file of it has the word, or none of
// the declarations, of which the exact check knows all.
func (p *pkg) lacks(name string, cut bool) bool {
	if p.target || p.local || p.std || p.err != nil || len(p.decls[name]) > 0 {
		return false
	}
	if known, ok := p.missing[name]; ok {
		return known
	}
	missing := !cut || !slices.ContainsFunc(p.files, func(f *file) bool {
		return bytes.Contains(f.src, []byte(name)) && regexp.MustCompile(`\b`+name+`\b`).Match(f.src)
	})
	if p.missing == nil {
		p.missing = map[string]bool{}
	}
	p.missing[name] = missing
	return missing
}

// need asks for a declaration of a package, once.
func (w *program) need(p *pkg, name string) {
	if p.target || p.reached[name] {
		return
	}
	p.reached[name] = true
	for i := 0; i < len(p.decls[name]); i++ { // it grows
		if c := p.decls[name][i]; c.group {
			w.ungroup(c)
		} else {
			w.enqueue(c)
		}
	}
	for _, c := range p.members[name] {
		switch {
		case w.declared:
		case w.comments && !ast.IsExported(c.method):
		case w.lean && !w.methods[c.method]:
			w.pending[c.method] = append(w.pending[c.method], c)
		default:
			w.enqueue(c)
		}
	}
}

func (w *program) enqueue(c *chunk) {
	if !c.queued {
		c.queued = true
		w.queue = append(w.queue, c)
	}
}

// interfaceMethods asks for the methods of an interface wherever a type has them.
func (w *program) interfaceMethods(t *ast.InterfaceType) {
	for _, m := range t.Methods.List {
		for _, id := range m.Names {
			w.method(id.Name)
		}
	}
}

// method asks for a method wherever a type has it.
func (w *program) method(name string) {
	w.methods[name] = true
	for _, c := range w.pending[name] {
		w.enqueue(c)
	}
	delete(w.pending, name)
}

// visit keeps a declaration, and asks for what it refers to.
func (w *program) visit(c *chunk) {
	d, f := w.parse(c), c.file
	if d == nil {
		return
	}
	if !f.parseHead() {
		w.torn = true
		return
	}
	f.decls = append(f.decls, d)
	if g, ok := d.(*ast.GenDecl); ok && !w.withBodies(f) {
		dropValues(g)
	}
	w.refer(f, d)
}

// refer asks for what a piece of an imported package refers to.
func (w *program) refer(f *file, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok {
				if p := w.lookup(f, id.Name); p != nil {
					w.need(p, n.Sel.Name)
					return false
				}
			}
			w.method(n.Sel.Name) // of a value that a variable without a type has
			w.refer(f, n.X)
			return false
		case *ast.StructType:
			w.fields(f, n)
		case *ast.InterfaceType:
			w.interfaceMethods(n)
		case *ast.Field:
			w.refer(f, n.Type) // not the names
			return false
		case *ast.BlockStmt:
			return w.withBodies(f) // those of imported packages count for nothing
		case *ast.KeyValueExpr:
			w.refer(f, n.Value)
			if _, ok := n.Key.(*ast.Ident); !ok {
				w.refer(f, n.Key)
			}
			return false
		case *ast.Ident:
			w.need(f.pkg, n.Name)
			for _, spec := range f.specs {
				if spec.Name != nil && spec.Name.Name == "." {
					if path := importPath(spec); path != "" {
						f.kept[spec] = true
						w.need(w.imported(path, f.pkg), n.Name)
					}
				}
			}
		}
		return true
	})
}

// fields drops the fields of a struct that cannot change and that nothing selects.
func (w *program) fields(f *file, t *ast.StructType) {
	if !w.lean || f.pkg.own || f.pkg.whole {
		return
	}
	kept := t.Fields.List[:0:0]
	for _, field := range t.Fields.List {
		keep := len(field.Names) == 0
		for _, id := range field.Names {
			keep = keep || w.selected[id.Name] && id.IsExported()
		}
		if keep {
			kept = append(kept, field)
		}
	}
	t.Fields.List = kept
}
