// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// markers are the words by which the marker is known that a key of a schema comes from.
var markers = map[string][]string{
	"default":                              {"kubebuilder:default", "+default="},
	"nullable":                             {"nullable"},
	"items":                                {"validation:items:"},
	"x-kubernetes-list-type":               {"listType"},
	"x-kubernetes-list-map-keys":           {"listMapKey"},
	"x-kubernetes-map-type":                {"mapType", "structType"},
	"x-kubernetes-embedded-resource":       {"EmbeddedResource"},
	"x-kubernetes-preserve-unknown-fields": {"PreserveUnknownFields"},
	"x-kubernetes-int-or-string":           {"XIntOrString"},
	"x-kubernetes-validations":             {"XValidation"},
	"status":                               {"subresource:status"},
	"scale":                                {"subresource:scale"},
	"storage":                              {"storageversion"},
	"deprecationWarning":                   {"deprecatedversion"},
	"names":                                {"kubebuilder:resource"},
}

// markersOf are the words for a key; those for validation are named like the key.
func markersOf(key string) []string {
	if words := markers[key]; words != nil || key == "" {
		return words
	}
	return []string{"validation:" + key + "=", "validation:" + key, "validation:items:" + key, "k8s:" + key}
}

// at is the place of a key in the schema of a field: its marker or the Go field, or else the key in the manifest.
func at(crd *project.CRD, version string, path []string, key string) rule.Place {
	if _, ok := crd.GoField(version, path); ok {
		return crd.At(version, path, markersOf(key)...)
	}
	return inSchema(crd, version, path, key)
}

// inSchema is the place of keys below the schema of a field in the manifest.
func inSchema(crd *project.CRD, version string, path []string, keys ...string) rule.Place {
	return crd.InManifest(schemaKeys(crd, version, path, keys...)...)
}

// schemaKeys are the keys in the manifest of keys below the schema of a field.
func schemaKeys(crd *project.CRD, version string, path []string, keys ...string) []string {
	all := []string{"spec", "versions", index(crd, version), "schema", "openAPIV3Schema"}
	for _, name := range path {
		switch name {
		case project.Items:
			all = append(all, "items")
		case project.Values:
			all = append(all, "additionalProperties")
		default:
			all = append(all, "properties", name)
		}
	}
	return append(all, keys...)
}

// ofVersion is the place of a version, or of keys in it: a marker of its type that has one of the words, or else the keys in the manifest.
func ofVersion(crd *project.CRD, version string, words []string, keys ...string) rule.Place {
	for _, word := range words {
		has := func(text string) (int, bool) {
			return 0, strings.Contains(strings.ToLower(text), strings.ToLower(word))
		}
		if place, ok := crd.Marker(version, nil, has); ok {
			return place
		}
	}
	return crd.InManifest(append([]string{"spec", "versions", index(crd, version)}, keys...)...)
}

func index(crd *project.CRD, version string) string {
	return strconv.Itoa(max(0, slices.IndexFunc(crd.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == version })))
}

// spot is where the path of one of the API server's errors leads in a schema.
type spot struct {
	path []string // of the field
	keys []string // of the manifest, from the schema on
	rest string   // what follows the schema of the field, without the dot: x-kubernetes-validations[0].rule
}

// key is the first part of the rest.
func (s spot) key() string {
	key, _, _ := strings.Cut(s.rest, ".")
	key, _, _ = strings.Cut(key, "[")
	return key
}

// item is the index behind the key, as in x-kubernetes-validations[0]; -1 without one.
func (s spot) item() int {
	_, after, ok := strings.Cut(s.rest, "[")
	number, _, closed := strings.Cut(after, "]")
	n, err := strconv.Atoi(number)
	if !ok || !closed || err != nil {
		return -1
	}
	return n
}

// locate follows the path of an error, from the root of a schema. Names of fields may have dots and brackets in them: the schema says which
// there are.
func locate(schema *apiextv1.JSONSchemaProps, rest string) (s spot) {
	for schema != nil {
		next, path, keys, left := step(schema, rest)
		if next == nil {
			break
		}
		schema, rest = next, left
		s.path, s.keys = append(s.path, path...), append(s.keys, keys...)
	}
	s.rest = strings.TrimPrefix(rest, ".")
	if key := s.key(); key != "" {
		s.keys = append(s.keys, key)
		if n := s.item(); n >= 0 {
			s.keys = append(s.keys, strconv.Itoa(n))
		}
		if last := s.rest[strings.LastIndex(s.rest, ".")+1:]; last != s.rest {
			s.keys = append(s.keys, last)
		}
	}
	return s
}

func step(schema *apiextv1.JSONSchemaProps, rest string) (next *apiextv1.JSONSchemaProps, path, keys []string, left string) {
	if after, ok := strings.CutPrefix(rest, ".properties["); ok {
		longest := -1
		for name, property := range schema.Properties {
			if strings.HasPrefix(after, name+"]") && len(name) > longest {
				longest, next = len(name), &property
				path, keys, left = []string{name}, []string{"properties", name}, after[len(name)+1:]
			}
		}
		return next, path, keys, left
	}
	if after, ok := strings.CutPrefix(rest, ".items."); ok && schema.Items != nil && schema.Items.Schema != nil {
		return schema.Items.Schema, []string{project.Items}, []string{"items"}, "." + after
	}
	if after, ok := strings.CutPrefix(rest, ".additionalProperties."); ok && schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		return schema.AdditionalProperties.Schema, []string{project.Values}, []string{"additionalProperties"}, "." + after
	}
	if after, ok := strings.CutPrefix(rest, ".not."); ok && schema.Not != nil {
		return schema.Not, nil, []string{"not"}, "." + after
	}
	for key, schemas := range map[string][]apiextv1.JSONSchemaProps{"allOf": schema.AllOf, "anyOf": schema.AnyOf, "oneOf": schema.OneOf} {
		for i := range schemas {
			if after, ok := strings.CutPrefix(rest, fmt.Sprintf(".%s[%d]", key, i)); ok {
				return &schemas[i], nil, []string{key, strconv.Itoa(i)}, after
			}
		}
	}
	return nil, nil, nil, rest
}
