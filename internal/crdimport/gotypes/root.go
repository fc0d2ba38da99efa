// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"cmp"
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crdimport/document"
)

// root is the text of the type of the kind and of its list's.
func (b *builder) root(d *document.Definition, v *apiextensionsv1.CustomResourceDefinitionVersion, s *schema) string {
	s = relevant(s)
	at := place{}
	b.combinators(s, at)
	b.unsayable(s, at)
	if s.AdditionalProperties != nil {
		b.lose(at, "additionalProperties:", "a struct cannot have them: unknown fields are dropped")
	}
	b.metadata(s, at)
	if len(s.Enum) > 0 {
		b.lose(at, "enum:", "markers cannot express objects: every value of the type is accepted")
	}
	for _, own := range []string{"apiVersion", "kind", "metadata"} { // which every object has
		delete(s.Properties, own)
		s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == own })
	}
	fields := b.fields(s, at, newFieldNames(true))
	doc := comment(cmp.Or(documentation(s), b.kind+" is a kind of the API group "+d.Group+"."))
	return lines(b.tags(d, v, s)) + "\n" + doc + lines(b.ofStruct(s, at)) +
		"type " + b.kind + " struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n" + fields + "}\n\n" +
		"// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n\n" +
		comment(fmt.Sprintf("%sList is a list of %s.", b.kind, d.Plural)) +
		"type " + b.kind + "List struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\n\tItems []" + b.kind + " `json:\"items\"`\n}\n\n"
}
