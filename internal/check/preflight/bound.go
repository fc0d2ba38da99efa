// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"sort"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
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
	now     int64  // the bound that it has; 0 for none
	inAllOf bool   // it has the bound in allOf, where it does not count
}

// bounds are what is tried, from the highest: enough for most fields.
var bounds = []int64{4096, 1024, 256, 128, 64, 32, 16, 8}

// most candidates are tried one by one; the nearest to the root of the object come first.
const mostCandidates = 6

// bound finds the field whose bound makes the rule cheap enough, or those that do so together if that leaves more room. Each is tried with the server's
// code. Fields without a bound come before those whose bound is too high.
func (c *compiler) bound(r celRule, often bool) remedy {
	var without, with []open
	for _, o := range c.sized(r, often) {
		if o.now == 0 {
			without = append(without, o)
		} else if o.now > bounds[len(bounds)-1] {
			with = append(with, o)
		}
	}
	found := c.among(r, without)
	if found.fix == "" {
		if lower := c.among(r, with); found.what == "" || lower.fix != "" {
			found = lower
		}
	}
	return found
}

func (o open) String() string {
	field := dottedOr(o.path, "the object")
	switch {
	case o.inAllOf:
		return fmt.Sprintf("the %s of %s is in allOf, where it does not count", o.keyword, field)
	case o.now > 0:
		return fmt.Sprintf("the %s of %s is %d", o.keyword, field, o.now)
	}
	return fmt.Sprintf("%s has no %s", field, o.keyword)
}

func (c *compiler) among(r celRule, all []open) (found remedy) {
	if len(all) == 0 {
		return remedy{}
	}
	all = all[:min(len(all), mostCandidates)]
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = o.String()
	}
	found.what = strings.Join(names, ", ")
	sets := make([][]open, 0, len(all)+1)
	for _, o := range all {
		sets = append(sets, []open{o})
	}
	if len(all) > 1 {
		sets = append(sets, all)
	}
	more := bounds // than a set before leaves
	for i, set := range sets {
		fits := func(k int) bool {
			lower := !slices.ContainsFunc(set, func(o open) bool { return o.now > 0 && more[k] >= o.now })
			return lower && c.cheapEnough(r, set, more[k])
		}
		if len(more) == 0 || !fits(len(more)-1) { // most sets alone do not help
			continue
		}
		highest := 0
		if !fits(0) { // the highest is enough as a rule
			highest = 1 + sort.Search(len(more)-2, func(k int) bool { return fits(k + 1) })
		}
		found.fix, found.what = c.markersFor(set, more[highest]), strings.Join(names, ", ")
		if i < len(names) {
			found.what = names[i]
		}
		more = more[:highest]
	}
	return found
}

// cheapEnough reports whether the API server accepts the rule when fields have a bound, and evaluates it to its end: one limit does not imply the other.
func (c *compiler) cheapEnough(r celRule, set []open, n int64) bool {
	once, total := c.costWith(r, set, n)
	return total <= validation.StaticEstimatedCostLimit && (once <= celconfig.PerCallLimit || c.evaluatedWith(r, set, n) <= celconfig.PerCallLimit)
}

// markersFor are the markers that bound fields, or the keys where they have no Go type, with the places of the fields.
func (c *compiler) markersFor(set []open, n int64) string {
	parts := make([]string, len(set))
	for i, o := range set {
		marker := strings.ToUpper(o.keyword[:1]) + o.keyword[1:]
		field := o.path
		if len(field) > 0 && field[len(field)-1] == project.Items {
			marker, field = "items:"+marker, field[:len(field)-1]
		}
		place, form := at(c.crd, c.version, field, ""), "+kubebuilder:validation:%s=%d or less to %s (%s)"
		if path.Ext(place.File) != ".go" {
			marker, field, form = o.keyword, o.path, "%s: %d or less to %s (%s)"
		}
		parts[i] = fmt.Sprintf(form, marker, n, dottedOr(field, "the object"), place)
	}
	return "Add " + strings.Join(parts, ", ") + ", or make the rule simpler."
}

// sized lists the fields whose size may make the rule expensive: lists and maps above it if it is too expensive for being evaluated often, and what it
// reads below.
func (c *compiler) sized(r celRule, often bool) (all []open) {
	if often {
		for i, s := range r.above {
			if o, ok := size(s, r.path[:i]); ok && o.keyword != "maxLength" {
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
		if o, ok := size(s, path); ok {
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
	return append(all, below...)
}

// size is the bound of the values of a schema, as the cost is estimated; false for one without a size.
func size(s *apiextensions.JSONSchemaProps, path []string) (o open, ok bool) {
	var of func(s *apiextensions.JSONSchemaProps) *int64
	switch {
	case s.Type == "array":
		o.keyword, of = "maxItems", func(s *apiextensions.JSONSchemaProps) *int64 { return s.MaxItems }
	case s.Type == "object" && s.AdditionalProperties != nil:
		o.keyword, of = "maxProperties", func(s *apiextensions.JSONSchemaProps) *int64 { return s.MaxProperties }
	case s.Type == "string" && len(s.Enum) == 0 && !slices.Contains([]string{"date", "date-time", "duration"}, s.Format) || s.XIntOrString:
		o.keyword, of = "maxLength", func(s *apiextensions.JSONSchemaProps) *int64 { return s.MaxLength }
	default:
		return open{}, false
	}
	o.path = path
	if now := of(s); now != nil {
		o.now = *now
	} else {
		o.inAllOf = slices.ContainsFunc(s.AllOf, func(s apiextensions.JSONSchemaProps) bool { return of(&s) != nil })
	}
	return o, true
}

// costWith is what the rule costs when fields have a bound, as the server estimates it: once, and in all of an object.
func (c *compiler) costWith(r celRule, set []open, n int64) (once, total uint64) {
	result := r.result
	if slices.ContainsFunc(set, func(o open) bool { return len(o.path) >= len(r.path) }) { // else nothing changes but how often it is evaluated
		result = c.estimated(r, r.bounded(set, n))
	}
	return result.MaxCost, product(result.MaxCost, r.times(result, set, n))
}

// evaluatedWith is what the rule costs once when fields have a bound, as it is evaluated.
func (c *compiler) evaluatedWith(r celRule, set []open, n int64) uint64 {
	schema := inCharacters(r.bounded(set, n))
	schema.XValidations = r.schema.XValidations
	return c.estimated(r, schema).MaxCost
}

// bounded is the schema of a rule when fields have a bound.
func (r celRule) bounded(set []open, n int64) *apiextensions.JSONSchemaProps {
	schema := r.schema
	for _, o := range set {
		if len(o.path) >= len(r.path) {
			schema = withBound(schema, o.path[len(r.path):], o.keyword, n)
		}
	}
	return schema
}

// times is how often the rule is evaluated in an object when fields have a bound: as often as the bounds of the lists and maps above it allow or,
// if one has none, as often as the smallest of its values fits into a request.
func (r celRule) times(result cel.CompilationResult, set []open, n int64) uint64 {
	var context *validation.CELSchemaContext
	for i, s := range append(slices.Clone(r.above), r.schema) {
		for _, o := range set {
			if len(o.path) == i && i < len(r.path) {
				s = withBound(s, nil, o.keyword, n)
			}
		}
		switch {
		case i == 0:
			context = validation.RootCELContext(s)
		case r.path[i-1] == project.Items:
			context = context.ChildItemsContext(s)
		case r.path[i-1] == project.Values:
			context = context.ChildAdditionalPropertiesContext(s)
		default:
			context = context.ChildPropertyContext(s, r.path[i-1])
		}
	}
	if context.MaxCardinality != nil {
		return *context.MaxCardinality
	}
	return result.MaxCardinality
}

// estimated is the rule compiled on another schema; where that fails, as it was compiled on its own. Versions, and fields of one type, share rules: each
// is compiled once.
func (c *compiler) estimated(r celRule, schema *apiextensions.JSONSchemaProps) cel.CompilationResult {
	context := validation.RootCELContext(schema)
	if len(r.path) > 0 && !schema.XEmbeddedResource {
		// Not a whole object, which a root is: it would have metadata. It is on its own, since the types of a large schema take long.
		context = validation.RootCELContext(&apiextensions.JSONSchemaProps{Type: "object"}).ChildPropertyContext(schema, "")
	}
	types, err := context.TypeInfo()
	if err != nil || types == nil || types.DeclType == nil {
		return r.result
	}
	alone := *types.Schema
	alone.XValidations = alone.XValidations[r.index : r.index+1]
	key := keyOf(r, &alone)
	if result, known := c.estimates[key]; known {
		return result
	}
	results, err := cel.Compile(&alone, types.DeclType, celconfig.PerCallLimit, environment.MustBaseEnvSet(minor(r.since-1)), cel.NewExpressionsEnvLoader())
	if err != nil || len(results) == 0 || results[0].Error != nil {
		return r.result
	}
	results[0].Program, results[0].MessageExpression = nil, nil // they are large
	c.estimates[key] = results[0]
	return results[0]
}

// keyOf is the same for a rule in schemas that differ only in texts for people.
func keyOf(r celRule, s *structuralschema.Structural) [sha256.Size]byte {
	bare := s.DeepCopy()
	visitor := structuralschema.Visitor{Structural: func(s *structuralschema.Structural) bool {
		s.Description, s.Title = "", ""
		return true
	}}
	visitor.Visit(bare)
	encoded, err := json.Marshal(bare)
	if err != nil {
		panic(err) // it was decoded from JSON
	}
	return sha256.Sum256(fmt.Appendf(encoded, "%t %d", len(r.path) == 0, r.since)) // a root has metadata
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

// inCharacters is a schema in which the bounds of strings are such that the estimate, which takes a character for four bytes, counts characters.
func inCharacters(s *apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps {
	changed := *s
	if s.MaxLength != nil && s.Format != "byte" {
		quarter := (*s.MaxLength + 3) / 4
		changed.MaxLength = &quarter
	}
	if s.Properties != nil {
		changed.Properties = make(map[string]apiextensions.JSONSchemaProps, len(s.Properties))
	}
	for name := range s.Properties {
		property := s.Properties[name]
		changed.Properties[name] = *inCharacters(&property)
	}
	if s.Items != nil && s.Items.Schema != nil {
		changed.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: inCharacters(s.Items.Schema)}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		changed.AdditionalProperties = &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: inCharacters(s.AdditionalProperties.Schema)}
	}
	return &changed
}
