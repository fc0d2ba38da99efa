// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/project"
)

type props = apiextv1.JSONSchemaProps

// metadata are the fields that each object has, declared or not.
var metadata = []string{"apiVersion", "kind", "metadata"}

// compare compares the schemas of a field, and of the fields below it. What is below a field that went, came, or has a type that does not
// take all of the old one, is not looked at: that has one cause.
func (v *version) compare(path []string, was, is *props) {
	if !v.unserved() {
		wider, other := v.typed(path, was, is)
		if other {
			return
		}
		from := len(v.all.list)
		v.limits(path, was, is)
		v.defaults(path, was, is)
		v.required(path, was, is)
		v.rules(path, was, is)
		v.topology(path, was, is)
		v.open(path, was, is)
		if wider {
			v.all.list = append(v.all.list[:from], slices.DeleteFunc(v.all.list[from:], loosens)...)
		}
	} else {
		v.open(path, was, is)
	}
	for _, name := range sortedKeys(was.Properties) {
		if len(path) == 0 && slices.Contains(metadata, name) {
			continue
		}
		before := was.Properties[name]
		after, kept := is.Properties[name]
		if values := project.ValuesOf(is); !kept && values != nil && typeOf(is) == "map" {
			after, kept = *values, true
		}
		if !kept {
			v.lost(path, name, was, is)
			continue
		}
		v.compare(append(slices.Clone(path), name), &before, &after)
	}
	if before, after := project.ItemsOf(was), project.ItemsOf(is); before != nil && after != nil {
		v.compare(append(slices.Clone(path), project.Items), before, after)
	}
	if before, after := project.ValuesOf(was), project.ValuesOf(is); before != nil && after != nil {
		v.compare(append(slices.Clone(path), project.Values), before, after)
	}
}

// lost finds a field that went. Objects keep its values where fields that no schema knows are kept.
func (v *version) lost(parent []string, name string, was, is *props) {
	if preserves(is) || project.ValuesOf(is) != nil {
		return
	}
	renamed := ""
	for other := range is.Properties {
		if _, old := was.Properties[other]; !old && strings.EqualFold(other, name) {
			renamed = fmt.Sprintf("; the new field %s has another name to the API server", other)
		}
	}
	v.below("field-dropped", breaks, parent, name, "the field was removed; its values in stored objects are dropped%s", renamed)
}

// loosens reports whether a finding only says that more is taken, as that of a wider type does.
func loosens(e entry) bool {
	return slices.Contains([]string{"bound-loosened", "enum-added", "required-removed", "preserve-unknown-on"}, e.Rule.ID)
}

// typed finds another type, and reports whether it is wider, with all values of the old one, or another one.
func (v *version) typed(path []string, was, is *props) (wider, other bool) {
	before, after := typeOf(was), typeOf(is)
	switch {
	case before == after || before == "free object" && after == "object" && preserves(is):
		return false, false
	case before == "free object" && after == "object":
		v.at("additional-closed", v.tightened(path), path, nil, "fields that the schema does not know are no longer kept")
	case before == "any" && preserves(was) && !preserves(is):
		v.at("additional-closed", v.tightened(path), path, []string{"preserveunknownfields", "schemaless"}, "any value was taken, and now only %s", after)
	case before == "object" && after == "map" && !preserves(was):
		v.at("type-changed", shows, path, nil, "the type changed from object to map, whose keys may be any")
		v.all.list[len(v.all.list)-1].wider = true
		return true, false
	case before == "empty object" && after == "object":
		return true, false // its first fields, which are new as others that are added later
	case takes(after, before):
		v.at("type-changed", shows, path, nil, "the type changed from %s to %s, which takes all of it", before, after)
		v.all.list[len(v.all.list)-1].wider = true
		return true, false
	default:
		v.at("type-changed", breaks, path, nil, "the type changed from %s to %s", before, after)
	}
	return false, true
}

// takes reports whether a type takes all values of another.
func takes(wide, narrow string) bool {
	switch wide {
	case "any":
		return true
	case "number":
		return narrow == "integer"
	case "integer or string":
		return narrow == "integer" || narrow == "string"
	case "free object":
		return narrow == "object" || narrow == "map" || narrow == "empty object"
	case "map":
		return narrow == "empty object"
	}
	return false
}

// typeOf is the type of a field as far as it decides which values it has.
func typeOf(s *props) string {
	switch {
	case s.XIntOrString:
		return "integer or string"
	case s.XEmbeddedResource:
		return "embedded resource"
	case s.Type == "object" && project.ValuesOf(s) != nil && len(s.Properties) == 0:
		return "map"
	case s.Type == "object" && preserves(s) && len(s.Properties) == 0:
		return "free object"
	case s.Type == "object" && len(s.Properties) == 0:
		return "empty object"
	case s.Type == "":
		return "any"
	}
	return s.Type
}

func preserves(s *props) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields ||
		s.AdditionalProperties != nil && s.AdditionalProperties.Schema == nil && s.AdditionalProperties.Allows
}

// open finds an object that no longer keeps fields that its schema does not know, and one that began to.
func (v *version) open(path []string, was, is *props) {
	words := []string{"preserveunknownfields"}
	switch {
	case preserves(was) && !preserves(is):
		v.at("additional-closed", breaks, path, words, "fields that the schema does not know are no longer kept")
	case !preserves(was) && preserves(is) && !v.unserved():
		v.at("preserve-unknown-on", shows, path, words, "fields that the schema does not know are now kept")
	}
}

// tightened is the effect of a schema that takes less: in the status it is the controller that writes, and it changes with its API.
func (v *version) tightened(path []string) effect {
	if len(path) > 0 && path[0] == "status" && subresourcesOf(v.is).Status != nil {
		return risks
	}
	return breaks
}

// required finds fields that must now be set, or need not be any more. One with a default is always set.
func (v *version) required(path []string, was, is *props) {
	before, after := requiredOf(was), requiredOf(is)
	for _, name := range after {
		field, declared := is.Properties[name]
		_, known := was.Properties[name]
		own := append(slices.Clone(path), name)
		switch {
		case slices.Contains(before, name) || !declared || field.Default != nil:
		case known:
			v.at("required-added", v.tightened(own), own, []string{"required", "validation:required"}, "the field is now required")
		default:
			v.at("required-added", v.tightened(own), own, []string{"required"}, "the field is new and required")
		}
	}
	for _, name := range before {
		if _, declared := is.Properties[name]; declared && !slices.Contains(after, name) {
			v.at("required-removed", shows, append(slices.Clone(path), name), []string{"optional"}, "the field is no longer required")
		}
	}
}

// requiredOf are the fields that must be set, by name. Those in allOf count as those of the object do.
func requiredOf(s *props) []string {
	all := slices.Clone(s.Required)
	for _, part := range s.AllOf {
		if isLimits(&part) {
			all = append(all, part.Required...)
		}
	}
	return sortedSet(all)
}

func sortedSet(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// topology finds lists and maps that server-side apply merges in another way.
func (v *version) topology(path []string, was, is *props) {
	if before, after := or(was.XListType, "atomic"), or(is.XListType, "atomic"); before != after {
		v.at("list-type-changed", risks, path, []string{"listtype"}, "the list type changed from %s to %s%s", before, after, map[bool]string{true: "; lists with duplicates are refused"}[before == "atomic"])
	} else if !slices.Equal(sortedSet(was.XListMapKeys), sortedSet(is.XListMapKeys)) {
		v.at("map-keys-changed", risks, path, []string{"listmapkey"}, "the keys of the list changed from %s to %s", strings.Join(sortedSet(was.XListMapKeys), ", "), strings.Join(sortedSet(is.XListMapKeys), ", "))
	}
	if before, after := or(was.XMapType, "granular"), or(is.XMapType, "granular"); before != after {
		v.at("map-type-changed", risks, path, []string{"maptype", "structtype"}, "the map type changed from %s to %s", before, after)
	}
}

func or(s *string, fallback string) string {
	if s == nil || *s == "" {
		return fallback
	}
	return *s
}
