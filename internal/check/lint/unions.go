// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var oneOf = lazyregexp.New(`(?i)\b(exactly|only|at most) one of\s+(the\b|its\b|[a-z][a-z0-9]*\s*(,|/|or\b|and\b))|\bmutually exclusive\b`)

// oneOfMarkers hold the members of a union to each other.
var oneOfMarkers = []string{
	"kubebuilder:validation:ExactlyOneOf", "kubebuilder:validation:AtMostOneOf", "kubebuilder:validation:MaxProperties", "kubebuilder:validation:XValidation:rule", "kubebuilder:validation:OneOf",
}

// union looks for a struct of which one member is to be set: with a discriminator, whose values are the names of members, or by its comment.
func union(_ *world, t typ, report reporter) {
	s, ok := t.spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	if _, held := markerOf(t.doc, oneOfMarkers...); held || hasRule(t.doc) {
		return
	}
	members := map[string]bool{}
	for _, f := range s.Fields.List {
		if name := jsonTag(f); name != "" {
			name, _, _ = strings.Cut(name, ",")
			members[strings.ToLower(name)] = true
		}
	}
	for _, f := range s.Fields.List {
		values, isEnum := markerOf(f.Doc, enumMarker)
		if _, tagged := markerOf(f.Doc, "unionDiscriminator"); !isEnum && !tagged {
			continue
		}
		named := enumOf(values)
		if len(named) < 2 || slices.ContainsFunc(named, func(v string) bool { return !members[strings.ToLower(v)] }) {
			continue
		}
		report("union", t.name, "no rule of type %s holds its member to its discriminator %s", t.owner, strings.Split(jsonTag(f), ",")[0])
		return
	}
	if t.doc != nil && len(members) > 1 && oneOf.MatchString(t.doc.Text()) {
		report("union", t.name, "only the comment of type %s holds it to one of its members", t.owner)
	}
}

func hasRule(doc *ast.CommentGroup) bool {
	return slices.ContainsFunc(comments(doc), func(c *ast.Comment) bool { return celRule.MatchString(c.Text) })
}
