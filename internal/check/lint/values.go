// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

const (
	enumMarker   = "kubebuilder:validation:Enum"
	formatMarker = "kubebuilder:validation:Format"
	minimum      = "kubebuilder:validation:Minimum"
	maximum      = "kubebuilder:validation:Maximum"
)

// word is a value that could be in PascalCase; what has digits, dots or slashes is the name of something else.
var word = lazyregexp.New(`^[a-z][a-zA-Z]*([-_][a-zA-Z]+)*$`)

func enumCase(_ *world, f field, report reporter) {
	if isBasic(f.t, types.IsString) {
		enumValues(f.ast.Doc, f.decl.name, "field "+f.name(), report)
	}
}

func enumCaseOfType(_ *world, t typ, report reporter) {
	if o := t.p.TypesInfo.Defs[t.spec.Name]; isBasic(o.Type(), types.IsString) {
		enumValues(t.doc, t.name, "type "+t.owner, report)
	}
}

func enumValues(doc *ast.CommentGroup, at token.Pos, what string, report reporter) {
	value, ok := markerOf(doc, enumMarker)
	if !ok {
		return
	}
	var wrong []string
	for _, v := range enumOf(value) {
		if word.MatchString(v) {
			wrong = append(wrong, v)
		}
	}
	if len(wrong) > 0 {
		report("enum-case", at, "%s has values that are not in PascalCase: %s", what, strings.Join(wrong, ", "))
	}
}

// enumOf are the values of a marker such as Enum=A;B or Enum={A,B}.
func enumOf(value string) (all []string) {
	for v := range strings.FieldsFuncSeq(strings.Trim(value, "{}"), func(r rune) bool { return r == ';' || r == ',' }) {
		all = append(all, strings.Trim(strings.TrimSpace(v), "\"`'"))
	}
	return all
}

func enumTwice(w *world, f field, report reporter) {
	_, own := f.marker(enumMarker)
	if _, ofType := markerOf(w.typeDoc(f), enumMarker); own && ofType {
		report("enum-twice", f.decl.name, "field %s and its type both have an enum", f.name())
	}
}

func oneFormat(_ *world, f field, report reporter) {
	formats(f.ast.Doc, f.decl.name, "field "+f.name(), report)
}

func oneFormatOfType(_ *world, t typ, report reporter) {
	formats(t.doc, t.name, "type "+t.owner, report)
}

func formats(doc *ast.CommentGroup, at token.Pos, what string, report reporter) {
	all := values(doc, formatMarker)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > 1 {
		report("one-format", at, "%s has several formats, of which only one counts: %s", what, strings.Join(all, ", "))
	}
}

func intRange(w *world, f field, report reporter) {
	if f.owner.role&other == 0 || !isBasic(f.t, types.IsInteger) || w.anyMarker(f, enumMarker, formatMarker) {
		return
	}
	least, most := w.anyMarker(f, minimum, "k8s:minimum"), w.anyMarker(f, maximum, "k8s:maximum")
	if !least && !most {
		report("int-range", f.decl.name, "field %s is a number with neither a minimum nor a maximum", f.name())
	}
}
