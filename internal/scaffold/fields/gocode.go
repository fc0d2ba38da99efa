package fields

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// SpecGo are the fields of the spec's struct.
func (s *Set) SpecGo() string {
	if s == nil {
		return ""
	}
	return s.spec.goFields()
}

// StatusGo are the fields of the status' struct, beside those that every status has.
func (s *Set) StatusGo() string {
	if s == nil {
		return ""
	}
	return s.status.goFields()
}

// SpecMarkers and StatusMarkers are the markers of the two structs, without the slashes.
func (s *Set) SpecMarkers() []string {
	if s == nil {
		return nil
	}
	return s.spec.marks
}

// StatusMarkers are those of the status' struct.
func (s *Set) StatusMarkers() []string {
	if s == nil {
		return nil
	}
	return s.status.marks
}

// TypesGo are the types that the fields need.
func (s *Set) TypesGo() string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	for _, t := range s.types {
		b.WriteString("\n")
		where := "spec." + t.field.path
		if t.field.status {
			where = statusPrefix + t.field.path
		}
		if !t.field.typ.single() {
			where = "what is in " + where
		}
		fmt.Fprintf(&b, "// %s is the type of %s.\n", t.name, where)
		if t.field.object != nil {
			for _, m := range t.field.object.marks {
				b.WriteString("// " + m + "\n")
			}
			fmt.Fprintf(&b, "type %s struct {\n%s}\n", t.name, t.field.object.goFields())
			continue
		}
		values := make([]any, len(t.field.typ.enum))
		for i, v := range t.field.typ.enum {
			values[i] = v
		}
		fmt.Fprintf(&b, "// +kubebuilder:validation:Enum=%s\ntype %s string\n\n// The values of %s.\nconst (\n", enumMarker(values), t.name, t.name)
		for _, v := range t.field.typ.enum {
			fmt.Fprintf(&b, "\t%s%s %s = %q\n", t.name, goname.Camel(v), t.name, v)
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
