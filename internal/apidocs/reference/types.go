// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"path"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
)

// named is the named Go type of a field, behind pointers, lists and maps; empty where none is known.
type named struct {
	name      string
	foreign   string // with its import path, of a type of another module
	url       string
	elsewhere bool              // the page at url has its fields
	constants map[string]string // comments by value
	comment   string
}

// typeOf is the named type of a field.
func (b *builder) typeOf(path []string) named {
	field, ok := b.crd.GoField(b.of.Name, path)
	if !ok || field.Partial {
		return named{}
	}
	t, _ := b.crd.GoType(b.of.Name, path)
	switch {
	case t.Foreign != "":
		n := named{foreign: t.Foreign, name: t.Foreign[strings.LastIndex(t.Foreign, ".")+1:]}
		n.url, n.elsewhere = b.modules.url(field.Position.Filename, t.Foreign)
		return n
	case t.Name == "": // a type, no field
		return named{name: t.Type, constants: t.Constants(), comment: t.Comment()}
	}
	return named{}
}

// typ is the type of a field with a schema.
func (n named) typ(s *props) Type {
	t := Type{Text: n.text(s), URL: n.url}
	if leaf, _ := innermost(s, nil); n.elsewhere && leaf.Type == "object" {
		t.Elsewhere = true
	} else if leaf.Type != "object" {
		t.URL = ""
	}
	return t
}

func (n named) text(s *props) string {
	s = merged(s)
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		return "[]" + n.text(s.Items.Schema)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return "map[string]" + n.text(s.AdditionalProperties.Schema)
	case isQuantity(s):
		return "Quantity"
	case s.XIntOrString:
		return "integer or string"
	case s.Type == "object" && n.name != "":
		return n.name
	case s.Type == "object":
		return "object"
	case s.Type == "":
		return "any"
	}
	text, open := s.Type, " ("
	if n.name != "" && n.foreign == "" {
		text, open = n.name+" ("+s.Type, ", "
	}
	if s.Format != "" && s.Format != "int32" && s.Format != "int64" {
		text += open + s.Format
		open = ", "
	}
	if open == ", " {
		text += ")"
	}
	return text
}

// quantity is the start of the pattern of a quantity, as controller-gen writes it.
const quantity = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)`

func isQuantity(s *props) bool { return s.XIntOrString && strings.HasPrefix(s.Pattern, quantity) }

// words say what values of a type look like whose page would be of no help, or that has none.
func (n named) words(s *props) string {
	switch {
	case isQuantity(s):
		return `An amount, as a number with an optional suffix, such as 500m, 1.5 or 2Gi`
	case s.XIntOrString:
		return `A number such as 5, or a string such as "25%"`
	case strings.HasSuffix(n.foreign, "pkg/apis/meta/v1.Duration"):
		return `A duration, such as 30s or 1h30m`
	case strings.HasSuffix(n.foreign, "pkg/apis/meta/v1.Time"), strings.HasSuffix(n.foreign, "pkg/apis/meta/v1.MicroTime"):
		return `A time, such as 2026-01-31T12:00:00Z`
	case s.XEmbeddedResource || len(s.Properties) > 0:
	case s.Type == "object" && s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields:
		return "An object with any fields"
	case s.Type == "" && s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields:
		return "Any value"
	}
	return ""
}

// objectMeta is the type of metadata.
func (m modules) objectMeta(crd *project.CRD, version string) Type {
	t := Type{Text: "ObjectMeta"}
	if field, ok := crd.GoField(version, nil); ok {
		t.URL, t.Elsewhere = m.url(field.Position.Filename, path.Join("k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta"))
	}
	return t
}

// description is the text about a field: that of the CRD, in the form that it has in the Go comment, where that is the same text. Generators join
// lines, and shorten or leave out what is long.
func (b *builder) description(path []string, text string) string {
	field, ok := b.crd.GoField(b.of.Name, path)
	if !ok || field.Partial {
		return text
	}
	comments := []string{field.Comment()}
	if len(path) > 0 {
		comments = append(comments, b.typeOf(path).comment)
	}
	for _, c := range comments {
		if c != "" && strings.HasPrefix(words(c), words(text)) {
			return c
		}
	}
	return text
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }

// Hidden are the markers of fields and types that the reference leaves out: crdctl's, and that of crd-ref-docs.
var hiddenMarkers = []string{"+crdctl:hidden", "+hidefromdoc"}

// hidden reports whether a field, or the kind, has such a marker.
func (b *builder) hidden(version string, path []string) bool {
	field, ok := b.crd.GoField(version, path)
	if !ok || field.Partial {
		return false
	}
	for _, line := range field.Lines() {
		if slices.Contains(hiddenMarkers, line.Text) {
			return true
		}
	}
	return false
}
