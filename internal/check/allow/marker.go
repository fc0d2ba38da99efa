// SPDX-License-Identifier: Apache-2.0

package allow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/gen/gofield"
)

const prefix = "+crdctl:allow"

// marker is one +crdctl:allow=RULE reason.
type marker struct {
	rule, reason string
	place        rule.Place
	subject      string
	from, to     int // the lines that it covers: the comment, and the field or the first line of the type; 0 if it is on nothing
	used         bool
}

func (m *marker) covers(at rule.Place) bool {
	return at.File == m.place.File && m.from <= at.Line && at.Line <= m.to
}

// parse finds the markers of a file. What does not parse has none: the generators say why.
func parse(file string, src []byte) (all []*marker) {
	if !Markers(src) {
		return nil
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(syntax) {
		return nil
	}
	line := func(pos token.Pos) int { return fset.Position(pos).Line }
	on := map[*ast.CommentGroup]*marker{} // what the markers of a comment are on
	note := func(doc *ast.CommentGroup, name string, to token.Pos) {
		if doc != nil {
			on[doc] = &marker{subject: path.Dir(file) + "." + name, from: line(doc.Pos()), to: line(to)}
		}
	}
	for decl, spec := range gofield.Types(syntax) {
		for _, doc := range gofield.Docs(fset, syntax, decl, spec) {
			note(doc, spec.Name.Name, spec.Name.Pos())
		}
		ast.Inspect(spec.Type, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok {
				note(f.Doc, spec.Name.Name+"."+gofield.FieldName(f), f.Type.Pos())
			}
			return true
		})
	}
	for _, group := range syntax.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(c.Text, "//"), " \t"), prefix)
			if !ok || text != "" && text[0] != '=' && text[0] != ' ' {
				continue
			}
			m := marker{subject: path.Dir(file)}
			if known := on[group]; known != nil {
				m = *known
			}
			m.rule, m.reason, _ = strings.Cut(strings.TrimPrefix(text, "="), " ")
			m.reason = strings.TrimSpace(m.reason)
			at := fset.Position(c.Pos())
			m.place = rule.Place{File: file, Line: at.Line, Col: at.Column + strings.Index(c.Text, prefix)}
			all = append(all, &m)
		}
	}
	return all
}
