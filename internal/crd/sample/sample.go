// SPDX-License-Identifier: Apache-2.0

// Package sample makes values that a schema of a CRD takes, for objects that a person starts from.
//
// It guesses, one keyword at a time, and the same value every time; [Validate] reports whether the schema takes a guess. It knows no CEL
// rules.
package sample

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

const (
	// maxItems bounds the length of a list.
	maxItems = 8
	// maxDepth bounds how deep a value goes; what is required there is rarely written by a person.
	maxDepth = 20
)

// Of returns a value that the schema takes, as far as it can be guessed: with all properties, or only with those that are required.
func Of(s *apiextv1.JSONSchemaProps, all bool) any { return guesser{all}.value(s, 0) }

type guesser struct{ all bool }

func (g guesser) value(s *apiextv1.JSONSchemaProps, depth int) any {
	for _, given := range []*apiextv1.JSON{s.Default, s.Example, first(s.Enum)} {
		var v any
		if given != nil && json.Unmarshal(given.Raw, &v) == nil && v != nil {
			return v
		}
	}
	switch s.Type {
	case "object":
		return g.object(s, depth)
	case "array":
		return g.list(s, depth)
	case "integer", "number":
		return number(s)
	case "boolean":
		return g.all
	}
	if s.XIntOrString {
		return int64(1)
	}
	return text(s)
}

func (g guesser) object(s *apiextv1.JSONSchemaProps, depth int) any {
	o := map[string]any{}
	if depth >= maxDepth {
		return o
	}
	names := s.Required
	if g.all {
		names = slices.Collect(maps.Keys(s.Properties))
	}
	for _, name := range names {
		if property, ok := s.Properties[name]; ok {
			o[name] = g.value(&property, depth+1)
		}
	}
	if values := s.AdditionalProperties; values != nil && values.Schema != nil {
		for i := range g.count(s.MinProperties, s.MaxProperties) {
			o[distinct("example", i, nil).(string)] = g.value(values.Schema, depth+1)
		}
	}
	return o
}

func (g guesser) list(s *apiextv1.JSONSchemaProps, depth int) any {
	items := []any{}
	if s.Items == nil || s.Items.Schema == nil || depth >= maxDepth {
		return items
	}
	for i := range g.count(s.MinItems, s.MaxItems) {
		item := g.value(s.Items.Schema, depth+1)
		if enum := s.Items.Schema.Enum; i < len(enum) {
			_ = json.Unmarshal(enum[i].Raw, &item)
		} else if s.XListType != nil && *s.XListType != "atomic" {
			item = distinct(item, i, s.XListMapKeys)
		}
		items = append(items, item)
	}
	return items
}

// count returns how many items or entries there are to be.
func (g guesser) count(low, high *int64) int {
	n := int64(0)
	if g.all {
		n = 1
	}
	if low != nil {
		n = max(n, min(*low, maxItems))
	}
	if high != nil {
		n = min(n, *high)
	}
	return int(n)
}

// distinct makes the item of a number differ from the others of a set, or of a list that is a map with these keys.
func distinct(item any, number int, keys []string) any {
	if number == 0 {
		return item
	}
	switch v := item.(type) {
	case string:
		return fmt.Sprintf("%s-%d", v, number+1)
	case int64:
		return v + int64(number)
	case map[string]any:
		for _, key := range keys {
			v[key] = distinct(v[key], number, nil)
		}
	}
	return item
}

func first(values []apiextv1.JSON) *apiextv1.JSON {
	if len(values) == 0 {
		return nil
	}
	return &values[0]
}

func number(s *apiextv1.JSONSchemaProps) any {
	n := 1.0
	switch {
	case s.Minimum != nil && s.ExclusiveMinimum:
		n = *s.Minimum + 1
	case s.Minimum != nil:
		n = *s.Minimum
	case s.Maximum != nil && *s.Maximum < 1:
		n = *s.Maximum
	}
	if m := s.MultipleOf; m != nil && *m > 0 {
		n = math.Ceil(n / *m) * *m
	}
	if i := int64(n); float64(i) == n {
		return i
	}
	return n
}

// formats are values of the formats that the API server checks, and of some that schemas of Kubernetes use.
var formats = map[string]string{
	"byte": "ZXhhbXBsZQ==", "cidr": "192.0.2.0/24", "date": "2026-01-01", "date-time": "2026-01-01T00:00:00Z", "duration": "30s",
	"email": "a@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "mac": "00:00:5e:00:53:01",
	"uri": "https://example.com", "uuid": "7f3b1c1e-9d0a-4b5e-8c1f-000000000000",
}

func text(s *apiextv1.JSONSchemaProps) string {
	value := "example"
	if known, ok := formats[s.Format]; ok {
		value = known
	}
	if s.Pattern != "" {
		return ofPattern(s, value)
	}
	if s.MinLength != nil {
		value += strings.Repeat("e", max(0, int(min(*s.MinLength, 1<<10))-len(value)))
	}
	if s.MaxLength != nil && int64(len(value)) > *s.MaxLength {
		value = strings.TrimSpace(value[:*s.MaxLength])
	}
	return value
}

// ofPattern returns the first guess that matches the pattern and is of an allowed length.
func ofPattern(s *apiextv1.JSONSchemaProps, guess string) string {
	re, err := regexp.Compile(s.Pattern)
	if err != nil {
		return guess
	}
	for extra := range 64 {
		length := int64(utf8.RuneCountInString(guess))
		if re.MatchString(guess) && (s.MinLength == nil || length >= *s.MinLength) && (s.MaxLength == nil || length <= *s.MaxLength) {
			return guess
		}
		guess = matching(s.Pattern, extra)
	}
	return matching(s.Pattern, 0)
}
