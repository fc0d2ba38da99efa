package gotypes

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// The schemas that controller-tools makes of types of Kubernetes which are worth to be used in the place of local ones: no
// controller has helpers for a copy of them. TestKnownTypes holds them to controller-tools. Types of k8s.io/api are not
// among them: their schemas change with every release, and with them what the CRD says.

// ConditionSchema is the schema of metav1.Condition.
func ConditionSchema() *schema {
	text := func(most int64) schema { return schema{Type: "string", MaxLength: &most} }
	least := func(s schema, min int64) schema { s.MinLength = &min; return s }
	pattern := func(s schema, p string) schema { s.Pattern = p; return s }
	zero := 0.0
	return &schema{
		Type:     "object",
		Required: []string{"lastTransitionTime", "message", "reason", "status", "type"},
		Properties: map[string]schema{
			"lastTransitionTime": {Type: "string", Format: "date-time"},
			"message":            text(32768),
			"observedGeneration": {Type: "integer", Format: "int64", Minimum: &zero},
			"reason":             pattern(least(text(1024), 1), `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`),
			"status":             {Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"True"`)}, {Raw: []byte(`"False"`)}, {Raw: []byte(`"Unknown"`)}}},
			"type":               pattern(text(316), `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`),
		},
	}
}

// LabelSelectorSchema is the schema of metav1.LabelSelector.
func LabelSelectorSchema() *schema {
	atomic := "atomic"
	text := schema{Type: "string"}
	list := func(items schema) schema {
		return schema{Type: "array", XListType: &atomic, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}}
	}
	return &schema{
		Type: "object", XMapType: &atomic,
		Properties: map[string]schema{
			"matchExpressions": list(schema{
				Type: "object", Required: []string{"key", "operator"},
				Properties: map[string]schema{"key": text, "operator": text, "values": list(text)},
			}),
			"matchLabels": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &text}},
		},
	}
}
