package crdimport

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/scaffold/fields"
)

// Sample is an object of a version, in YAML, with what the schema requires and nothing else. It is a guess: valid tells whether
// the schema takes it, rules of CEL apart, which the API server alone knows.
func (d *Definition) Sample(version, name string) (object []byte, valid bool) {
	i := slices.IndexFunc(d.CRD.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	if i < 0 || d.CRD.Spec.Versions[i].Schema == nil {
		return nil, false
	}
	root := d.CRD.Spec.Versions[i].Schema.OpenAPIV3Schema
	o := map[string]any{}
	if sampled, ok := example(root, 0).(map[string]any); ok {
		o = sampled
	}
	delete(o, "status")
	if _, has := root.Properties["spec"]; has && o["spec"] == nil {
		o["spec"] = map[string]any{}
	}
	o["apiVersion"], o["kind"] = d.Group+"/"+version, d.Kind
	metadata := map[string]any{"name": name}
	if d.Namespaced {
		metadata["namespace"] = "default"
	}
	o["metadata"] = metadata
	text, err := yaml.Marshal(o)
	return text, err == nil && accepted(root, text)
}

// accepted asks the API server's own validation.
func accepted(schema *apiextensionsv1.JSONSchemaProps, object []byte) bool {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema.DeepCopy(), internal, nil); err != nil {
		return false
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return false
	}
	var read any
	if err := yaml.Unmarshal(object, &read); err != nil {
		return false
	}
	return len(validation.ValidateCustomResource(nil, read, validator)) == 0
}

// maxSampleItems bounds the length of a list in a sample.
const maxSampleItems = 8

// deepSample bounds how deep a sample goes; what is required there is rarely of a person's making.
const deepSample = 20

// example is a value that the schema takes, as far as one keyword at a time tells.
func example(s *apiextensionsv1.JSONSchemaProps, depth int) any {
	for _, given := range []*apiextensionsv1.JSON{s.Default, s.Example, first(s.Enum)} {
		var v any
		if given != nil && json.Unmarshal(given.Raw, &v) == nil && v != nil {
			return v
		}
	}
	switch s.Type {
	case "object":
		o := map[string]any{}
		for _, name := range s.Required {
			if property, ok := s.Properties[name]; ok && depth < deepSample {
				o[name] = example(&property, depth+1)
			}
		}
		return o
	case "array":
		items := []any{}
		for s.MinItems != nil && int64(len(items)) < min(*s.MinItems, maxSampleItems) && s.Items != nil && s.Items.Schema != nil && depth < deepSample {
			items = append(items, example(s.Items.Schema, depth+1))
		}
		return items
	case "integer", "number":
		return exampleNumber(s)
	case "boolean":
		return false
	}
	if s.XIntOrString {
		return 1
	}
	return exampleText(s)
}

func first(values []apiextensionsv1.JSON) *apiextensionsv1.JSON {
	if len(values) == 0 {
		return nil
	}
	return &values[0]
}

func exampleNumber(s *apiextensionsv1.JSONSchemaProps) any {
	switch {
	case s.Minimum != nil && s.ExclusiveMinimum:
		return *s.Minimum + 1
	case s.Minimum != nil:
		return *s.Minimum
	case s.Maximum != nil && *s.Maximum < 1:
		return *s.Maximum
	}
	return 1
}

// exampleTexts are values of the formats that schemas of Kubernetes use.
var exampleTexts = map[string]string{
	"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "duration": "30s", "uri": "https://example.com", "email": "a@example.com", "hostname": "example.com",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "cidr": "192.0.2.0/24", "byte": "ZXhhbXBsZQ==", "uuid": "7f3b1c1e-9d0a-4b5e-8c1f-000000000000",
}

func exampleText(s *apiextensionsv1.JSONSchemaProps) string {
	value := "example"
	if known, ok := exampleTexts[s.Format]; ok {
		value = known
	}
	if re, err := regexp.Compile(s.Pattern); s.Pattern != "" && err == nil && !re.MatchString(value) {
		value = fields.Matching(s.Pattern, 0)
	}
	if s.MinLength != nil && s.Pattern == "" {
		value += strings.Repeat("e", max(0, int(min(*s.MinLength, 1<<10))-len(value)))
	}
	if s.MaxLength != nil && s.Pattern == "" && int64(len(value)) > *s.MaxLength {
		value = string(bytes.TrimSpace([]byte(value[:*s.MaxLength])))
	}
	return value
}
