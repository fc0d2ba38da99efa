// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// objects makes objects that a schema accepts, as far as types and bounds go, and objects with mistakes.
type objects struct {
	*rand.Rand
	// often is how often an optional field is there.
	often float64
}

// rarely lets the first objects be small: the larger one is, the sooner a rule of CEL has something against it.
func rarely(i int) float64 { return []float64{0, 0.05, 0.15, 0.4}[i%4] }

func (o objects) root(s *apiextv1.JSONSchemaProps, crd *apiextv1.CustomResourceDefinition) map[string]any {
	s = s.DeepCopy()
	for _, own := range []string{"apiVersion", "kind", "metadata"} {
		delete(s.Properties, own)
	}
	object, _ := o.value(s, 0).(map[string]any)
	if spec, ok := s.Properties["spec"]; ok && object["spec"] == nil {
		object["spec"] = o.value(&spec, 1)
	}
	object["metadata"] = map[string]any{"name": "random"}
	object["kind"] = crd.Spec.Names.Kind
	return object
}

func (o objects) value(s *apiextv1.JSONSchemaProps, depth int) any {
	if s.Nullable && o.Float64() < 0.1 {
		return nil
	}
	if len(s.Enum) > 0 {
		var v any
		_ = json.Unmarshal(s.Enum[o.IntN(len(s.Enum))].Raw, &v)
		return v
	}
	switch {
	case s.XIntOrString && o.IntN(2) == 0 && s.Pattern == "":
		return int64(o.IntN(100))
	case s.XIntOrString, s.Type == "string":
		return o.text(s)
	case s.Type == "integer", s.Type == "number":
		least, most := int64(0), int64(1000)
		if s.Minimum != nil {
			least = int64(*s.Minimum)
			most = least + 1000
		}
		if s.Maximum != nil {
			most = int64(*s.Maximum)
		}
		made := least + o.Int64N(max(1, most-least+1))
		if s.Type == "number" {
			return float64(made) + 0.5
		}
		return made
	case s.Type == "boolean":
		return o.IntN(2) == 0
	case s.Type == "array":
		return o.list(s, depth)
	case s.Type == "object" && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		made := map[string]any{}
		for i := range o.size(s.MinProperties, s.MaxProperties) {
			made[fmt.Sprintf("key-%d", i)] = o.value(s.AdditionalProperties.Schema, depth+1)
		}
		return made
	case s.Type == "object":
		return o.fields(s, depth)
	default:
		return []any{"any", int64(1), map[string]any{"any": []any{true}}}[o.IntN(3)]
	}
}

func (o objects) fields(s *apiextv1.JSONSchemaProps, depth int) map[string]any {
	made := map[string]any{}
	if s.XEmbeddedResource {
		made["apiVersion"], made["kind"] = "v1", "Pod"
	}
	if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields || o.IntN(10) == 0 {
		made["unknownToTheSchema"] = map[string]any{"a": []any{int64(1)}}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		if required := slices.Contains(s.Required, name); required && p.Default == nil || depth < 12 && o.Float64() < o.often {
			made[name] = o.value(&p, depth+1)
		}
	}
	var demanded []string
	for _, all := range allOf(s) {
		demanded = append(demanded, all.Required...)
		for _, branches := range [][]apiextv1.JSONSchemaProps{all.OneOf, all.AnyOf} {
			if len(branches) > 0 {
				demanded = append(demanded, branches[o.IntN(len(branches))].Required...)
			}
		}
	}
	for _, name := range demanded {
		if p, ok := s.Properties[name]; ok && made[name] == nil && p.Default == nil {
			made[name] = o.value(&p, depth+1)
		}
	}
	return made
}

// allOf are a schema and the branches of its allOf.
func allOf(s *apiextv1.JSONSchemaProps) []apiextv1.JSONSchemaProps {
	return append([]apiextv1.JSONSchemaProps{*s}, s.AllOf...)
}

func (o objects) list(s *apiextv1.JSONSchemaProps, depth int) []any {
	made := []any{}
	for range o.size(s.MinItems, s.MaxItems) {
		made = append(made, o.value(s.Items.Schema, depth+1))
	}
	return made
}

func (o objects) size(least, most *int64) int64 {
	n := int64(o.IntN(3))
	if least != nil {
		n = max(n, *least)
	}
	if most != nil {
		n = min(n, *most)
	}
	return min(n, 20)
}

func (o objects) text(s *apiextv1.JSONSchemaProps) string {
	switch s.Format {
	case "date-time":
		return "2026-01-02T03:04:05Z"
	case "byte":
		return "YWJj"
	case "duration":
		return "1h"
	}
	fits := func(text string) bool {
		return !slices.ContainsFunc(allOf(s), func(s apiextv1.JSONSchemaProps) bool {
			return s.MinLength != nil && int64(len(text)) < *s.MinLength || s.MaxLength != nil && int64(len(text)) > *s.MaxLength ||
				s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(text)
		})
	}
	usual := []string{"a", "", "ab", "5%", "example.com", "10.0.0.0/8", "10.0.0.1", "1h", "https://a.example.com/b", "/a", "A", "5", "0 0 * * *", "*", "group.example.com/name", "a-b", "300s"}
	for _, i := range o.Perm(len(usual)) {
		if fits(usual[i]) {
			return usual[i]
		}
	}
	parsed, err := syntax.Parse(s.Pattern, syntax.Perl)
	for range 20 {
		if err != nil {
			break
		}
		if text := o.match(parsed.Simplify()); fits(text) {
			return text
		}
	}
	if s.MinLength != nil {
		return strings.Repeat("a", int(*s.MinLength))
	}
	return "a"
}

// match makes a text that a regular expression matches.
func (o objects) match(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		i := 2 * o.IntN(len(re.Rune)/2)
		low, high := max(re.Rune[i], min('0', re.Rune[i+1])), min(re.Rune[i+1], max('z', re.Rune[i]))
		return string(low + rune(o.IntN(int(max(1, high-low+1)))))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture:
		return o.match(re.Sub[0])
	case syntax.OpConcat:
		var all strings.Builder
		for _, sub := range re.Sub {
			all.WriteString(o.match(sub))
		}
		return all.String()
	case syntax.OpAlternate:
		return o.match(re.Sub[o.IntN(len(re.Sub))])
	case syntax.OpStar, syntax.OpQuest:
		return strings.Repeat(o.match(re.Sub[0]), o.IntN(2))
	case syntax.OpPlus:
		return o.match(re.Sub[0]) + strings.Repeat(o.match(re.Sub[0]), o.IntN(2))
	case syntax.OpRepeat:
		return strings.Repeat(o.match(re.Sub[0]), re.Min)
	}
	return ""
}

// mistake changes one value somewhere below spec or status: takes it away, or puts another in its place.
func (o objects) mistake(object map[string]any) {
	type spot struct {
		set    func(any)
		remove func()
		value  any
	}
	var spots []spot
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				spots = append(spots, spot{func(to any) { v[k] = to }, func() { delete(v, k) }, v[k]})
				walk(v[k])
			}
		case []any:
			for i := range v {
				spots = append(spots, spot{func(to any) { v[i] = to }, func() { v[i] = nil }, v[i]})
				walk(v[i])
			}
		}
	}
	for _, part := range []string{"spec", "status"} {
		walk(object[part])
	}
	if len(spots) == 0 {
		return
	}
	at := spots[o.IntN(len(spots))]
	if list, ok := at.value.([]any); ok && len(list) > 0 && o.IntN(2) == 0 {
		at.set(append(slices.Clone(list), list[0])) // twice the same
		return
	}
	if fields, ok := at.value.(map[string]any); ok && o.IntN(3) == 0 {
		fields["unknown"] = []any{map[string]any{"a": "b"}}
		return
	}
	wrong := []any{nil, "", "wrong value", int64(-1), int64(0), int64(1) << 40, 0.5, true, map[string]any{}, []any{}, []any{nil}, map[string]any{"a": nil}}
	if i := o.IntN(len(wrong) + 2); i < len(wrong) {
		at.set(wrong[i])
	} else {
		at.remove()
	}
}
