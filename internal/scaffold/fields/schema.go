// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crd/sample"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var markerRule = lazyregexp.New(`^\+(?:kubebuilder:validation:|kubebuilder:)?([A-Za-z]+)(?:=(.*))?$`)

// schema is what the CRD will have for the field, as far as samples and defaults need it. Types of Kubernetes are not spelled out,
// and markers that have no keyword of their own are left to controller-gen.
func (f *Field) schema() apiextv1.JSONSchemaProps {
	element := f.elementSchema()
	s := element
	switch {
	case f.typ.list():
		s = apiextv1.JSONSchemaProps{Type: "array", Items: &apiextv1.JSONSchemaPropsOrArray{Schema: &element}}
	case f.typ.dict():
		s = apiextv1.JSONSchemaProps{Type: "object", AdditionalProperties: &apiextv1.JSONSchemaPropsOrBool{Allows: true, Schema: &element}}
	}
	for _, m := range f.markers {
		parts := markerRule.FindStringSubmatch(m)
		if parts == nil {
			continue
		}
		name, value := strings.ToLower(parts[1][:1])+parts[1][1:], parts[2]
		switch name {
		case "listType":
			s.XListType = &value
		case "listMapKey":
			s.XListMapKeys = append(s.XListMapKeys, value)
		default: // a keyword, perhaps; what is not of its type is for controller-gen to refuse
			_ = json.Unmarshal(fmt.Appendf(nil, "{%q: %s}", name, markerValue(name, value)), &s)
		}
	}
	var likely any
	if s.Example != nil && json.Unmarshal(s.Example.Raw, &likely) == nil && sample.Validate(&s, nil, likely) != nil {
		s.Example = nil
	}
	if f.defaults != nil {
		s.Default = &apiextv1.JSON{Raw: []byte(asJSON(f.defaults))}
	}
	return s
}

// markerValue is the value of a marker in JSON.
func markerValue(keyword, value string) string {
	text, err := strconv.Unquote(value)
	switch {
	case keyword == "enum":
		var values []string
		for v := range strings.SplitSeq(value, ";") {
			values = append(values, markerValue("", v))
		}
		return "[" + strings.Join(values, ",") + "]"
	case value == "":
		return "true"
	case err == nil:
		return asJSON(text)
	case keyword != "pattern" && keyword != "format" && json.Valid([]byte(value)):
		return value
	}
	return asJSON(value)
}

func (f *Field) elementSchema() apiextv1.JSONSchemaProps {
	s := apiextv1.JSONSchemaProps{Type: "string"}
	keep := true
	switch f.typ.family {
	case boolean:
		s.Type = "boolean"
	case number:
		s.Type = "integer"
	case instant:
		s.Format = "date-time"
	case quantity, intOrString:
		s.Type, s.XIntOrString = "", true
	case anything, foreign:
		s.Type, s.XPreserveUnknownFields = "object", &keep
	case structure:
		s.Type, s.Properties = "object", map[string]apiextv1.JSONSchemaProps{}
		for _, child := range f.object.fields {
			s.Properties[child.name] = child.schema()
			if child.required {
				s.Required = append(s.Required, child.name)
			}
		}
	}
	for _, v := range f.typ.enum {
		s.Enum = append(s.Enum, apiextv1.JSON{Raw: []byte(asJSON(v))})
	}
	if v := f.likely(); v != nil {
		s.Example = &apiextv1.JSON{Raw: []byte(asJSON(v))}
	}
	return s
}
