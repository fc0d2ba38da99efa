// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// reporter makes a finding of a rule, at a position.
type reporter func(id string, at token.Pos, format string, args ...any)

// The conventions are functions of a field, of a type, of a constant with a string, and of a package.
var (
	fieldRules = []func(w *world, f field, report reporter){
		boolPrefix, durationName, acronymCase, nameRef, topLevel, statusVolatile, enumCase, enumTwice, oneFormat, intRange, ruleMessages,
	}
	typeRules  = []func(w *world, t typ, report reporter){enumCaseOfType, oneFormatOfType, ruleMessagesOfType, kindSuffix, observedGeneration, union}
	constRules = []func(c constantOf, report reporter){conditionType, labelKey}
)

// world is what is known of all packages.
type world struct {
	types map[types.Object]typ
}

// typ is a type that API objects are made of.
type typ struct {
	p *pkg
	decl
	role role
	doc  *ast.CommentGroup // all comments that have markers of the type
}

// field is a field of one.
type field struct {
	p *pkg
	decl
	owner typ
	json  string
	t     types.Type // without pointers
}

// constantOf is a constant with a string.
type constantOf struct {
	name, value string
	of          types.Type
	pos         token.Pos
}

// look gathers the types of the packages.
func look(pkgs []*pkg, served map[string]role) *world {
	w := &world{map[types.Object]typ{}}
	for _, p := range pkgs {
		for _, d := range p.decls {
			if r := served[p.PkgPath+"."+d.owner]; d.ast == nil && r != 0 {
				w.types[p.TypesInfo.Defs[d.spec.Name]] = typ{p, d, r, p.docs[d.spec]}
			}
		}
	}
	return w
}

// conventions judges a package by the rules that kube-api-linter does not have.
func (p *pkg) conventions(w *world) (all []rule.Finding) {
	report := func(subject string) reporter {
		return func(id string, at token.Pos, format string, args ...any) {
			all = append(all, rule.New(id, p.place(at), subject, "%s", fmt.Sprintf(format, args...)))
		}
	}
	for _, d := range p.decls {
		t, ok := w.types[p.TypesInfo.Defs[d.spec.Name]]
		if !ok {
			continue
		}
		if d.ast == nil && p.torn[d.spec] {
			continue // which fields it has is not known
		}
		if d.ast == nil {
			for _, r := range typeRules {
				r(w, t, report(p.subject(d)))
			}
			continue
		}
		f := field{p: p, decl: d, owner: t, json: d.json(), t: p.typeOf(d)}
		if ptr, ok := f.t.Underlying().(*types.Pointer); ok {
			f.t = ptr.Elem()
		}
		if f.json == "" || f.json == "-" {
			continue
		}
		for _, r := range fieldRules {
			r(w, f, report(p.subject(d)))
		}
	}
	for _, c := range p.constants() {
		for _, r := range constRules {
			r(c, report(p.dir+"."+c.name))
		}
	}
	p.group(report)
	return all
}

func (p *pkg) constants() (all []constantOf) {
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		c, ok := scope.Lookup(name).(*types.Const)
		if ok && c.Val().Kind() == constant.String && !p.isGenerated(c.Pos()) {
			all = append(all, constantOf{name, constant.StringVal(c.Val()), c.Type(), c.Pos()})
		}
	}
	return all
}

// isGenerated reports whether a position is in a file that is left out.
func (p *pkg) isGenerated(pos token.Pos) bool {
	for _, f := range p.Syntax {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return false
		}
	}
	return true
}

// name of a field, with that of its type.
func (f field) name() string { return f.decl.owner + "." + f.field }

// typeDoc is the comment of the named type that a field has, or nil.
func (w *world) typeDoc(f field) *ast.CommentGroup {
	if named, ok := types.Unalias(f.t).(*types.Named); ok {
		return w.types[named.Obj()].doc
	}
	return nil
}

// anyMarker reports whether a field or its type has one of the markers.
func (w *world) anyMarker(f field, names ...string) bool {
	_, own := f.marker(names...)
	_, ofType := markerOf(w.typeDoc(f), names...)
	return own || ofType
}

// values are those of a marker each time that it stands in a comment.
func values(doc *ast.CommentGroup, name string) (all []string) {
	for _, c := range comments(doc) {
		if v, ok := markerOf(&ast.CommentGroup{List: []*ast.Comment{c}}, name); ok {
			all = append(all, v)
		}
	}
	return all
}

func comments(doc *ast.CommentGroup) []*ast.Comment {
	if doc == nil {
		return nil
	}
	return doc.List
}

// isBasic reports whether a type is, under its names, of a kind such as types.IsString.
func isBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}
