// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/rule"
)

// edit is the change that fixes a finding for certain and leaves the schema as it is, or nil: the second of two equal markers goes, and a
// field gets the marker that its JSON tag stands for. All other markers change what the API server accepts.
func (p *pkg) edit(analyzer string, in decl, f rule.Finding) *rule.Edit {
	if in.ast == nil || in.ast.Pos() == in.ast.End() {
		return nil
	}
	switch analyzer {
	case "duplicatemarkers":
		seen := map[string]bool{}
		for _, c := range comments(in.ast.Doc) {
			text := strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))
			if strings.HasPrefix(text, "+") && seen[text] && strings.HasSuffix(f.Message, " "+strings.TrimPrefix(text, "+")) {
				return &rule.Edit{Line: p.Fset.Position(c.Pos()).Line, Has: c.Text}
			}
			seen[text] = true
		}
	case "optionalorrequired":
		_, hasDefault := in.defaultValue()
		if !ForNew(f) || hasDefault || len(in.ast.Names) != 1 || strings.Contains(in.tag(), ",inline") || in.json() == "" || p.isOptionalByDefault() {
			return nil
		}
		marker := "// +required"
		if in.omitted() {
			marker = "// +optional"
		}
		return &rule.Edit{Line: p.Fset.Position(in.name).Line, Has: in.field, Insert: marker}
	}
	return nil
}

// isOptionalByDefault reports whether a marker of the package, and not the JSON tags, may decide which fields are required.
func (p *pkg) isOptionalByDefault() bool {
	for _, f := range p.Syntax {
		for _, g := range f.Comments {
			inType := slices.ContainsFunc(f.Decls, func(d ast.Decl) bool { return d.Pos() <= g.Pos() && g.End() <= d.End() })
			if _, ok := markerOf(g, "kubebuilder:validation:Optional", "kubebuilder:validation:Required"); ok && !inType {
				return true
			}
		}
	}
	return false
}
