package fields

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

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
		writeComment(&b, "", fmt.Sprintf("%s is the type of %s.", t.name, where))
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
		writeComment(&b, "\t", f.comment())
		for _, m := range f.markers() {
			b.WriteString("\t// " + m + "\n")
		}
		fmt.Fprintf(&b, "\t%s %s `json:%q`\n", goname.Camel(f.name), f.goType(), f.tag())
	}
	return b.String()
}

// comment is what the field is, in a sentence.
func (f *Field) comment() string {
	name, desc := goname.Camel(f.name), f.rules.desc
	if desc == "" {
		if f.typ.single() {
			return fmt.Sprintf("%s is the %s.", name, prose(f.name))
		}
		return fmt.Sprintf("%s are the %s.", name, prose(f.name))
	}
	first, _ := utf8.DecodeRuneInString(desc)
	word, _, _ := strings.Cut(desc, " ")
	switch {
	case word == name:
	case unicode.IsUpper(first) && !strings.HasPrefix(desc, "TODO"):
	case !unicode.IsLetter(first), strings.HasPrefix(desc, "TODO"):
		desc = name + ": " + desc // so that no comment begins with what some generator takes for a sign
	case f.typ.single():
		desc = name + " is " + desc
	default:
		desc = name + " are " + desc
	}
	if last, _ := utf8.DecodeLastRuneInString(desc); unicode.IsLetter(last) || unicode.IsDigit(last) || strings.ContainsRune(")]}'\"`", last) {
		desc += "."
	}
	return desc
}

// lineWidth is how long the lines of a comment get.
const lineWidth = 110

// writeComment wraps a text. No line begins with a sign: generators take + for a tag and --- for the end.
func writeComment(b *strings.Builder, indent, text string) {
	line := indent + "//"
	length := 0
	for _, w := range strings.Fields(text) {
		first, _ := utf8.DecodeRuneInString(w)
		if length > 0 && length+1+utf8.RuneCountInString(w) > lineWidth && (unicode.IsLetter(first) || unicode.IsDigit(first)) && !strings.HasPrefix(w, "TODO") {
			b.WriteString(line + "\n")
			line, length = indent+"//", 0
		}
		line += " " + w
		length += 1 + utf8.RuneCountInString(w)
	}
	b.WriteString(line + "\n")
}
