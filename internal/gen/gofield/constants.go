// SPDX-License-Identifier: Apache-2.0

package gofield

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// Constants are the comments of the string constants that have the named type f, by their values. Those in other packages than that of the
// type are not known.
func (f Field) Constants() map[string]string {
	comments := map[string]string{}
	if f.pkg == nil || f.Name != "" {
		return comments
	}
	for _, decl := range f.pkg.constants {
		for _, spec := range decl.Specs {
			spec, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for _, value := range spec.Values {
				text, ok := valueOf(f.Type, spec.Type, value)
				if !ok {
					continue
				}
				doc := spec.Doc
				if doc == nil && !decl.Lparen.IsValid() {
					doc = decl.Doc
				}
				if doc == nil {
					doc = spec.Comment
				}
				comments[text] = textOf(doc)
			}
		}
	}
	return comments
}

// valueOf is a string of a type: of a constant that is declared with it, or that converts to it.
func valueOf(name string, typ, value ast.Expr) (text string, ok bool) {
	if call, isCall := value.(*ast.CallExpr); isCall && len(call.Args) == 1 && typ == nil {
		typ, value = call.Fun, call.Args[0]
	}
	if id, isName := typ.(*ast.Ident); !isName || id.Name != name {
		return "", false
	}
	literal, isLiteral := value.(*ast.BasicLit)
	if !isLiteral || literal.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(literal.Value)
	return text, err == nil
}

// Comment is the text of the field's own comment, or that of the type: its lines without markers. It ends at a line "---", as it does for
// controller-gen.
func (f Field) Comment() string {
	if len(f.Docs) == 0 || !f.own {
		return ""
	}
	return textOf(f.Docs[0])
}

// textOf is a comment without the lines that are for tools.
func textOf(doc *ast.CommentGroup) string {
	var lines []string
	for line := range strings.Lines(doc.Text()) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "---" {
			break
		}
		if !strings.HasPrefix(strings.TrimSpace(line), "+") {
			lines = append(lines, line)
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
