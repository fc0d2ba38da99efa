// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/util/jsonpath"
)

// value is what a JSON path leads to: a schema, or a problem on the way; neither where it cannot be told.
type value struct {
	schema  *apiextv1.JSONSchemaProps
	problem string
}

// metadata is the schema of metadata, which the server has for all objects, whatever the CRD says.
var metadata = func() apiextv1.JSONSchemaProps {
	object := apiextv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextv1.JSONSchemaProps{}}
	for _, name := range []string{"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"} {
		object.Properties[name] = apiextv1.JSONSchemaProps{Type: "string"}
	}
	for _, name := range []string{"generation", "deletionGracePeriodSeconds"} {
		object.Properties[name] = apiextv1.JSONSchemaProps{Type: "integer"}
	}
	values := &apiextv1.JSONSchemaPropsOrBool{Schema: &apiextv1.JSONSchemaProps{Type: "string"}}
	for _, name := range []string{"labels", "annotations"} {
		object.Properties[name] = apiextv1.JSONSchemaProps{Type: "object", AdditionalProperties: values}
	}
	anything := true
	items := &apiextv1.JSONSchemaPropsOrArray{Schema: &apiextv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &anything}}
	for _, name := range []string{"ownerReferences", "managedFields"} {
		object.Properties[name] = apiextv1.JSONSchemaProps{Type: "array", Items: items}
	}
	object.Properties["finalizers"] = apiextv1.JSONSchemaProps{Type: "array", Items: &apiextv1.JSONSchemaPropsOrArray{Schema: &apiextv1.JSONSchemaProps{Type: "string"}}}
	return object
}()

// evaluate follows a parsed path from the root of an object.
func evaluate(root *apiextv1.JSONSchemaProps, path *jsonpath.Parser) value {
	at := withMeta(root)
	if len(path.Root.Nodes) != 1 {
		return value{}
	}
	list, ok := path.Root.Nodes[0].(*jsonpath.ListNode)
	if !ok {
		return value{}
	}
	return walkPath(at, list.Nodes)
}

// withMeta is the schema of an object with what each object has.
func withMeta(s *apiextv1.JSONSchemaProps) *apiextv1.JSONSchemaProps {
	object := *s
	object.Properties = map[string]apiextv1.JSONSchemaProps{"apiVersion": {Type: "string"}, "kind": {Type: "string"}}
	for name := range s.Properties {
		object.Properties[name] = s.Properties[name]
	}
	object.Properties["metadata"] = metadata
	return &object
}

func walkPath(at *apiextv1.JSONSchemaProps, nodes []jsonpath.Node) value {
	for _, node := range nodes {
		var next value
		switch node := node.(type) {
		case *jsonpath.FieldNode:
			next = fieldOf(at, node.Value)
		case *jsonpath.ArrayNode, *jsonpath.WildcardNode:
			next = elementOf(at)
			if _, wild := node.(*jsonpath.WildcardNode); wild && at.Type == "object" && next.problem != "" {
				next = value{} // each of the fields of an object
			}
		case *jsonpath.FilterNode:
			next = elementOf(at)
			if next.schema != nil {
				for _, side := range []*jsonpath.ListNode{node.Left, node.Right} {
					if side == nil || len(side.Nodes) == 0 {
						continue
					}
					if _, isField := side.Nodes[0].(*jsonpath.FieldNode); isField {
						if operand := walkPath(next.schema, side.Nodes); operand.problem != "" {
							return operand
						}
					}
				}
			}
		default:
			return value{}
		}
		if next.schema == nil {
			return next
		}
		at = next.schema
	}
	return value{schema: at}
}

func fieldOf(s *apiextv1.JSONSchemaProps, name string) value {
	if name == "" {
		return value{schema: s}
	}
	if property, ok := s.Properties[name]; ok {
		return value{schema: &property}
	}
	switch {
	case s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields, s.XIntOrString:
		return value{}
	case s.XEmbeddedResource:
		if object := withMeta(s); slices.Contains([]string{"metadata", "apiVersion", "kind"}, name) {
			return fieldOf(object, name)
		}
	case s.AdditionalProperties != nil:
		if s.AdditionalProperties.Schema == nil {
			return value{}
		}
		return value{schema: s.AdditionalProperties.Schema}
	case s.Type == "array":
		return value{problem: fmt.Sprintf("a field %s of a list, not of one of its items", name)}
	case s.Type != "" && s.Type != "object":
		return value{problem: fmt.Sprintf("a field %s of a value of the type %s", name, s.Type)}
	}
	return value{problem: fmt.Sprintf("the schema has no field %s there", name)}
}

// elementOf is what an index of a list leads to.
func elementOf(s *apiextv1.JSONSchemaProps) value {
	switch {
	case s.Type == "array" && s.Items != nil && s.Items.Schema != nil:
		return value{schema: s.Items.Schema}
	case s.Type == "array", s.Type == "", s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields:
		return value{}
	case s.AdditionalProperties != nil:
		return value{}
	}
	return value{problem: fmt.Sprintf("an item of a value of the type %s, which is not a list", s.Type)}
}
