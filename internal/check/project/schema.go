// SPDX-License-Identifier: Apache-2.0

package project

import (
	"maps"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Node is the schema of a field of a version.
type Node struct {
	Version *apiextv1.CustomResourceDefinitionVersion
	Path    []string // JSON names, Items and Values; empty for the root
	Schema  *apiextv1.JSONSchemaProps
	Parent  *Node // nil for the root
}

// Name is the last part of the path.
func (n *Node) Name() string {
	if len(n.Path) == 0 {
		return ""
	}
	return n.Path[len(n.Path)-1]
}

// Walk calls do for each schema of each version in a stable order, parents first. It does not go into allOf, anyOf, oneOf and not, which
// are for do to look at. A false answer leaves out what is below.
func (c *CRD) Walk(do func(*Node) bool) {
	for i := range c.Spec.Versions {
		v := &c.Spec.Versions[i]
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			walk(&Node{Version: v, Schema: v.Schema.OpenAPIV3Schema}, do)
		}
	}
}

func walk(n *Node, do func(*Node) bool) {
	if !do(n) {
		return
	}
	below := func(name string, schema *apiextv1.JSONSchemaProps) {
		walk(&Node{Version: n.Version, Path: append(slices.Clone(n.Path), name), Schema: schema, Parent: n}, do)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Schema.Properties)) {
		schema := n.Schema.Properties[name]
		below(name, &schema)
	}
	if items := ItemsOf(n.Schema); items != nil {
		below(Items, items)
	}
	if values := ValuesOf(n.Schema); values != nil {
		below(Values, values)
	}
}

// ItemsOf is the schema of the items of a list, or nil.
func ItemsOf(s *apiextv1.JSONSchemaProps) *apiextv1.JSONSchemaProps {
	if s.Items == nil {
		return nil
	}
	return s.Items.Schema
}

// ValuesOf is the schema of the values of a map, or nil.
func ValuesOf(s *apiextv1.JSONSchemaProps) *apiextv1.JSONSchemaProps {
	if s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}

// Lookup is the schema to which a path leads, or nil.
func Lookup(schema *apiextv1.JSONSchemaProps, path []string) *apiextv1.JSONSchemaProps {
	for _, name := range path {
		switch {
		case schema == nil:
			return nil
		case name == Items:
			schema = ItemsOf(schema)
		case name == Values:
			schema = ValuesOf(schema)
		default:
			next, ok := schema.Properties[name]
			if !ok {
				return nil
			}
			schema = &next
		}
	}
	return schema
}
