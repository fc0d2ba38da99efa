// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/crdctl/crdctl/internal/crd/sample"
)

// place is a field that changed.
type place struct {
	path    []string                  // names, with items and values
	was, is *apiextv1.JSONSchemaProps // is is nil where the field went
}

const (
	items  = "[]"
	values = "{}"
)

// differences are the fields whose own limits differ, not only those of fields below.
func differences(path []string, was, is *apiextv1.JSONSchemaProps) (all []place) {
	if was == nil {
		return nil
	}
	if is == nil || !reflect.DeepEqual(own(was), own(is)) {
		all = append(all, place{path, was, is})
	}
	if is == nil {
		return all
	}
	below := func(name string, was, is *apiextv1.JSONSchemaProps) {
		all = append(all, differences(append(slices.Clone(path), name), was, is)...)
	}
	for _, name := range slices.Sorted(maps.Keys(was.Properties)) {
		before := was.Properties[name]
		if after, ok := is.Properties[name]; ok {
			below(name, &before, &after)
		} else if len(path) > 0 || name != "metadata" && name != "kind" && name != "apiVersion" {
			below(name, &before, nil)
		}
	}
	if was.Items != nil && was.Items.Schema != nil && is.Items != nil {
		below(items, was.Items.Schema, is.Items.Schema)
	}
	if was.AdditionalProperties != nil && was.AdditionalProperties.Schema != nil && is.AdditionalProperties != nil {
		below(values, was.AdditionalProperties.Schema, is.AdditionalProperties.Schema)
	}
	return all
}

// own is a schema without the fields below it, and without what means nothing.
func own(s *apiextv1.JSONSchemaProps) *apiextv1.JSONSchemaProps {
	s = s.DeepCopy()
	s.Properties, s.Items, s.AdditionalProperties, s.Description = nil, nil, nil, ""
	return s
}

// values are some that the older side may take and the newer one may not.
func (p place) values() (all []any) {
	all = append(all, plain(sample.Of(p.was, false)), plain(sample.Of(p.was, true)))
	if p.is != nil {
		all = append(all, plain(sample.Of(p.is, false)), plain(sample.Of(p.is, true)))
	}
	for _, e := range p.was.Enum {
		var v any
		if json.Unmarshal(e.Raw, &v) == nil {
			all = append(all, v)
		}
	}
	if p.was.Nullable {
		all = append(all, nil)
	}
	var bounds []int64
	for _, s := range []*apiextv1.JSONSchemaProps{p.was, p.is} {
		if s == nil {
			continue
		}
		for _, b := range []*int64{s.MaxLength, s.MinLength, s.MaxItems, s.MinItems, s.MaxProperties, s.MinProperties} {
			if b != nil && *b < 1<<16 {
				bounds = append(bounds, *b, *b+1, *b-1)
			}
		}
		for _, b := range []*float64{s.Maximum, s.Minimum} {
			if b != nil {
				bounds = append(bounds, int64(*b), int64(*b)+1, int64(*b)-1)
			}
		}
	}
	bounds = slices.DeleteFunc(bounds, func(n int64) bool { return n < 0 && p.was.Type != "integer" })
	switch p.was.Type {
	case "string":
		all = append(all, "", "a", "Some text, with anything: 1/2!", "example-1")
		for _, n := range bounds {
			all = append(all, strings.Repeat("a", int(n)))
		}
	case "integer", "number":
		for _, n := range append(bounds, 0, 1, -1, 1<<40) {
			all = append(all, n)
		}
	case "boolean":
		all = append(all, true, false)
	case "array":
		for _, n := range append(bounds, 0, 1, 2) {
			list := []any{}
			for range min(n, 2000) {
				list = append(list, plain(sample.Of(p.was.Items.Schema, false)))
			}
			all = append(all, list)
		}
	case "object":
		all = append(all, map[string]any{}, map[string]any{"unknownToTheSchema": "x"})
		for _, name := range slices.Sorted(maps.Keys(p.was.Properties)) {
			with, _ := plain(sample.Of(p.was, false)).(map[string]any)
			field := p.was.Properties[name]
			if with != nil {
				with[name] = plain(sample.Of(&field, false))
				all = append(all, with)
			}
		}
	case "":
		all = append(all, "text", int64(1), map[string]any{"a": "b"}, "10%")
	}
	return all
}

// put sets the value at a path, with the least that is required on the way there.
func put(object map[string]any, s *apiextv1.JSONSchemaProps, path []string, value any) bool {
	if len(path) == 0 {
		fields, ok := value.(map[string]any)
		for key, v := range fields {
			if key != "metadata" {
				object[key] = v
			}
		}
		return ok
	}
	var node any = object
	var set func(any) // replaces the node
	for i, step := range path {
		var next *apiextv1.JSONSchemaProps
		last := i == len(path)-1
		switch step {
		case items:
			if s.Items == nil {
				return false
			}
			next = s.Items.Schema
			list, _ := node.([]any)
			if len(list) == 0 {
				list = []any{plain(sample.Of(next, false))}
			}
			set(list)
			if last {
				list[0] = value
				return true
			}
			node, set = list[0], func(v any) { list[0] = v }
		default:
			fields, ok := node.(map[string]any)
			if !ok {
				return false
			}
			if step == values {
				step, next = "example", s.AdditionalProperties.Schema
			} else {
				property, ok := s.Properties[step]
				if !ok {
					return false
				}
				next = &property
			}
			if last {
				fields[step] = value
				return true
			}
			if fields[step] == nil {
				fields[step] = plain(sample.Of(next, false))
			}
			node, set = fields[step], func(v any) { fields[step] = v }
		}
		s = next
	}
	return false
}
