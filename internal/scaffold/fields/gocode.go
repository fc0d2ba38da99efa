package fields

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// SpecGo are the fields of the spec's struct.
func (s *Set) SpecGo() string { return s.part(false).goFields() }

// StatusGo returns the fields of the status struct, besides those that every status has.
func (s *Set) StatusGo() string { return s.part(true).goFields() }

// SpecMarkers are the markers of the spec's struct, without the slashes.
func (s *Set) SpecMarkers() []string { return s.part(false).marks }

// StatusMarkers are those of the status' struct.
func (s *Set) StatusMarkers() []string { return s.part(true).marks }

// TypesGo are the types that the fields need.
func (s *Set) TypesGo() string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	for _, f := range s.types {
		b.WriteString("\n")
		where := f.fullPath()
		if !f.typ.single() {
			where = "what is in " + where
		}
		fmt.Fprintf(&b, "// %s is the type of %s.\n", f.goBase, where)
		if f.object != nil {
			for _, m := range f.object.marks {
				b.WriteString("// " + m + "\n")
			}
			fmt.Fprintf(&b, "type %s struct {\n%s}\n", f.goBase, f.object.goFields())
			continue
		}
		fmt.Fprintf(&b, "// +kubebuilder:validation:Enum=%s\ntype %s string\n\n// The values of %s.\nconst (\n", enumMarker(f.typ.enum), f.goBase, f.goBase)
		for _, v := range f.typ.enum {
			fmt.Fprintf(&b, "\t%s%s %s = %q\n", f.goBase, goname.Camel(v), f.goBase, v)
		}
		b.WriteString(")\n")
	}
	return b.String()
}

func (o *object) goFields() string {
	var b strings.Builder
	for i, f := range o.fields {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString("\t// " + f.comment() + "\n")
		for _, m := range f.allMarkers() {
			b.WriteString("\t// " + m + "\n")
		}
		fmt.Fprintf(&b, "\t%s %s `json:%q`\n", goname.Camel(f.name), f.goType(), f.tag())
	}
	return b.String()
}

// comment is what the field is, in a sentence.
func (f *Field) comment() string {
	verb := "are"
	if f.typ.single() {
		verb = "is"
	}
	return fmt.Sprintf("%s %s the %s.", goname.Camel(f.name), verb, prose(f.name))
}
