package gotypes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/crdimport/document"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// root is the text of the type of the kind and of its list's.
func (b *builder) root(d *document.Definition, v *apiextensionsv1.CustomResourceDefinitionVersion, s *schema) string {
	s = relevant(s)
	at := place{}
	b.combinators(s, at)
	b.unsayable(s, at)
	if s.AdditionalProperties != nil {
		b.lose(at, "additionalProperties:", "no struct has them: fields that are not named are dropped")
	}
	b.metadata(s, at)
	if len(s.Enum) > 0 {
		b.lose(at, "enum:", "no marker writes objects: every value of the type is taken")
	}
	fields := b.rootFields(s, at)
	var out strings.Builder
	out.WriteString(lines(b.tags(d, v, s)))
	out.WriteString("\n" + comment(orElse(documentation(s), b.kind+" is a kind of the API group "+d.Group+".")))
	out.WriteString(lines(b.ofStruct(s, at)))
	out.WriteString("type " + b.kind + " struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n" + fields + "}\n\n")
	out.WriteString("// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n\n")
	out.WriteString(comment(fmt.Sprintf("%sList is a list of %s.", b.kind, d.Plural)))
	out.WriteString("type " + b.kind + "List struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\n\tItems []" + b.kind + " `json:\"items\"`\n}\n\n")
	return out.String()
}

func orElse(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return text
}

// rootFields are the fields of the root besides those that every object has: spec first, status last.
func (b *builder) rootFields(s *schema, at place) string {
	for _, own := range []string{"apiVersion", "kind", "metadata"} {
		delete(s.Properties, own)
	}
	s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == "apiVersion" || r == "kind" || r == "metadata" })
	parts := []*schema{{}, {}, {}}
	for i := range parts {
		parts[i].Properties = map[string]schema{}
	}
	for name, p := range s.Properties {
		to := 1
		switch name {
		case "spec":
			to = 0
		case "status":
			to = 2
		}
		parts[to].Properties[name] = p
	}
	for _, r := range s.Required {
		to := 1
		if _, ok := parts[0].Properties[r]; ok {
			to = 0
		} else if _, ok := parts[2].Properties[r]; ok {
			to = 2
		}
		parts[to].Required = append(parts[to].Required, r)
	}
	taken := newFieldNames(true)
	var out strings.Builder
	for _, part := range parts {
		if len(part.Properties)+len(part.Required) > 0 {
			out.WriteString("\n" + b.fields(part, at, taken))
		}
	}
	return out.String()
}
