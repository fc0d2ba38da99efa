// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdctl/crdctl/internal/check/project"
)

// remedy is what makes a rule expensive, and the marker to write.
type remedy struct{ what, fix string }

// open is a field without a bound that a rule reads, or that has the rule below it.
type open struct {
	path    []string
	keyword string // maxItems, maxProperties or maxLength
	inAllOf bool   // it has the bound in allOf, where it does not count
}

// bounds are what is tried, from the highest: enough for most fields.
var bounds = []int64{4096, 1024, 256, 128, 64, 32, 16, 8}

// most candidates are tried one by one; the nearest to the root of the object come first.
const mostCandidates = 6

// bound finds the field whose bound makes the rule cheap enough, or else those that do so together. Each is tried with the server's code.
func (c *compiler) bound(r celRule, often bool, limit uint64) (found remedy) {
	all := c.open(r, often)
	if len(all) == 0 {
		return remedy{}
	}
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = fmt.Sprintf("%s has no %s", dottedOr(o.path, "the object"), o.keyword)
		if o.inAllOf {
			names[i] = fmt.Sprintf("the %s of %s is in allOf, where it does not count", o.keyword, dottedOr(o.path, "the object"))
		}
	}
	sets := make([][]open, 0, len(all)+1)
	for _, o := range all {
		sets = append(sets, []open{o})
	}
	if len(all) > 1 {
		sets = append(sets, all)
	}
	for i, set := range sets {
		if c.costWith(r, set, bounds[len(bounds)-1], often) > limit {
			continue
		}
		found.what = strings.Join(names, ", ")
		if i < len(names) {
			found.what = names[i]
		}
		for _, n := range bounds {
			if c.costWith(r, set, n, often) <= limit {
				found.fix = c.markersFor(set, n)
				return found
			}
		}
	}
	found.what = strings.Join(names, ", ")
	return found
}

// markersFor are the markers that bound fields, with the places of the fields.
func (c *compiler) markersFor(set []open, n int64) string {
	parts := make([]string, len(set))
	for i, o := range set {
		marker := strings.ToUpper(o.keyword[:1]) + o.keyword[1:]
		path := o.path
		if len(path) > 0 && path[len(path)-1] == project.Items {
			marker, path = "items:"+marker, path[:len(path)-1]
		}
		parts[i] = fmt.Sprintf("+kubebuilder:validation:%s=%d or less to %s (%s)", marker, n, dottedOr(path, "the object"), at(c.crd, c.version, path, ""))
	}
	return "Add " + strings.Join(parts, ", ") + ", or make the rule simpler."
}

// open lists the fields without a bound that may make the rule expensive: lists and maps above it if it is too expensive for being evaluated often,
// and what it reads below.
func (c *compiler) open(r celRule, often bool) (all []open) {
	if often {
		for i, s := range r.above {
			if o, ok := unbounded(s, r.path[:i]); ok && o.keyword != "maxLength" {
				all = append(all, o)
			}
		}
	}
	words := map[string]bool{}
	for _, word := range regexp.MustCompile(`\w+`).FindAllString(r.text().Rule, -1) {
		words[word] = true
	}
	var below []open
	var walk func(s *apiextensions.JSONSchemaProps, path []string)
	walk = func(s *apiextensions.JSONSchemaProps, path []string) {
		if o, ok := unbounded(s, path); ok {
			below = append(below, o)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if property := s.Properties[name]; words[name] || words["__"+name+"__"] {
				walk(&property, append(slices.Clone(path), name))
			}
		}
		if s.Items != nil && s.Items.Schema != nil {
			walk(s.Items.Schema, append(slices.Clone(path), project.Items))
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			walk(s.AdditionalProperties.Schema, append(slices.Clone(path), project.Values))
		}
	}
	walk(r.schema, r.path)
	slices.SortStableFunc(below, func(a, b open) int { return cmp.Compare(len(a.path), len(b.path)) })
	all = append(all, below...)
	return all[:min(len(all), mostCandidates)]
}

// unbounded reports whether the size of the values of a schema is not bounded, as the cost is estimated.
func unbounded(s *apiextensions.JSONSchemaProps, path []string) (open, bool) {
	in := func(has func(*apiextensions.JSONSchemaProps) bool) bool {
		return slices.ContainsFunc(s.AllOf, func(s apiextensions.JSONSchemaProps) bool { return has(&s) })
	}
	switch {
	case s.Type == "array" && s.MaxItems == nil:
		return open{path, "maxItems", in(func(s *apiextensions.JSONSchemaProps) bool { return s.MaxItems != nil })}, true
	case s.Type == "object" && s.AdditionalProperties != nil && s.MaxProperties == nil:
		return open{path, "maxProperties", in(func(s *apiextensions.JSONSchemaProps) bool { return s.MaxProperties != nil })}, true
	case (s.Type == "string" && len(s.Enum) == 0 && !slices.Contains([]string{"date", "date-time", "duration"}, s.Format) || s.XIntOrString) && s.MaxLength == nil:
		return open{path, "maxLength", in(func(s *apiextensions.JSONSchemaProps) bool { return s.MaxLength != nil })}, true
	}
	return open{}, false
}

// costWith is what the rule costs when fields have a bound.
func (c *compiler) costWith(r celRule, set []open, n int64, often bool) uint64 {
	root := c.root
	for _, o := range set {
		root = withBound(root, o.path, o.keyword, n)
	}
	context, schema := validation.RootCELContext(root), root
	for _, name := range r.path {
		switch name {
		case project.Items:
			schema = schema.Items.Schema
			context = context.ChildItemsContext(schema)
		case project.Values:
			schema = schema.AdditionalProperties.Schema
			context = context.ChildAdditionalPropertiesContext(schema)
		default:
			property := schema.Properties[name]
			schema = &property
			context = context.ChildPropertyContext(schema, name)
		}
	}
	types, err := context.TypeInfo()
	if err != nil || types == nil {
		return r.result.MaxCost
	}
	alone := *types.Schema
	alone.XValidations = alone.XValidations[r.index : r.index+1]
	results, err := cel.Compile(&alone, types.DeclType, celconfig.PerCallLimit, environment.MustBaseEnvSet(minor(r.since-1)), cel.NewExpressionsEnvLoader())
	if err != nil || len(results) == 0 || results[0].Error != nil {
		return r.result.MaxCost
	}
	if !often {
		return results[0].MaxCost
	}
	times := results[0].MaxCardinality
	if context.MaxCardinality != nil {
		times = *context.MaxCardinality
	}
	return product(results[0].MaxCost, times)
}

// withBound is a schema with a bound on one of its fields. What is not on the way to it is shared.
func withBound(s *apiextensions.JSONSchemaProps, path []string, keyword string, n int64) *apiextensions.JSONSchemaProps {
	changed := *s
	if len(path) == 0 {
		switch keyword {
		case "maxItems":
			changed.MaxItems = &n
		case "maxProperties":
			changed.MaxProperties = &n
		default:
			changed.MaxLength = &n
		}
		return &changed
	}
	switch path[0] {
	case project.Items:
		changed.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: withBound(s.Items.Schema, path[1:], keyword, n)}
	case project.Values:
		changed.AdditionalProperties = &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: withBound(s.AdditionalProperties.Schema, path[1:], keyword, n)}
	default:
		changed.Properties = maps.Clone(s.Properties)
		property := s.Properties[path[0]]
		changed.Properties[path[0]] = *withBound(&property, path[1:], keyword, n)
	}
	return &changed
}
