// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/text"
)

// merged is a schema with what its allOf adds: controller-gen writes one where a field and its type have the same marker.
func merged(s *props) *props {
	if len(s.AllOf) == 0 {
		return s
	}
	m := s.DeepCopy()
	m.AllOf = nil
	for i := range s.AllOf {
		part := merged(&s.AllOf[i])
		stricter(&m.Minimum, part.Minimum, func(a, b float64) bool { return a > b })
		stricter(&m.Maximum, part.Maximum, func(a, b float64) bool { return a < b })
		for _, least := range []struct{ to, of **int64 }{{&m.MinLength, &part.MinLength}, {&m.MinItems, &part.MinItems}, {&m.MinProperties, &part.MinProperties}} {
			stricter(least.to, *least.of, func(a, b int64) bool { return a > b })
		}
		for _, most := range []struct{ to, of **int64 }{{&m.MaxLength, &part.MaxLength}, {&m.MaxItems, &part.MaxItems}, {&m.MaxProperties, &part.MaxProperties}} {
			stricter(most.to, *most.of, func(a, b int64) bool { return a < b })
		}
		rest := part.DeepCopy()
		rest.Minimum, rest.Maximum, rest.MinLength, rest.MaxLength, rest.MinItems, rest.MaxItems, rest.MinProperties, rest.MaxProperties = nil, nil, nil, nil, nil, nil, nil, nil
		switch {
		case part.Enum == nil:
		case m.Enum == nil:
			m.Enum, rest.Enum = part.Enum, nil
		default:
			m.Enum = slices.DeleteFunc(slices.Clone(m.Enum), func(v apiextv1.JSON) bool {
				return !slices.ContainsFunc(part.Enum, func(o apiextv1.JSON) bool { return compact(o.Raw) == compact(v.Raw) })
			})
			rest.Enum = nil
		}
		if m.Pattern == "" {
			m.Pattern, rest.Pattern = part.Pattern, ""
		}
		if m.Format == "" {
			m.Format, rest.Format = part.Format, ""
		}
		rest.Required = slices.DeleteFunc(rest.Required, func(name string) bool { return slices.Contains(m.Required, name) })
		if text := asJSON(rest); text != "{}" {
			m.AllOf = append(m.AllOf, *rest)
		}
	}
	return m
}

// stricter sets a bound to another one, if that leaves less.
func stricter[T any](to **T, other *T, less func(a, b T) bool) {
	if other != nil && (*to == nil || less(*other, **to)) {
		*to = other
	}
}

// limitsOf is what holds for the values of a schema, and for what is in lists and maps, if that is asked for.
func limitsOf(s *props, inside bool) (all []Limit) {
	add := func(words, code string) { all = append(all, Limit{words, code}) }
	number := func(words string, n *float64, exclusive string, excluded bool) {
		if n != nil {
			if excluded {
				words = exclusive
			}
			add(words, strconv.FormatFloat(*n, 'f', -1, 64))
		}
	}
	whole := func(words string, n *int64) {
		if n != nil {
			add(words, strconv.FormatInt(*n, 10))
		}
	}
	number("Minimum", s.Minimum, "Greater than", s.ExclusiveMinimum)
	number("Maximum", s.Maximum, "Less than", s.ExclusiveMaximum)
	number("Multiple of", s.MultipleOf, "", false)
	whole("Minimum length", s.MinLength)
	whole("Maximum length", s.MaxLength)
	if s.Pattern != "" && !isQuantity(s) {
		add("Pattern", s.Pattern)
	}
	whole("Minimum number of items", s.MinItems)
	whole("Maximum number of items", s.MaxItems)
	whole("Minimum number of entries", s.MinProperties)
	whole("Maximum number of entries", s.MaxProperties)
	if s.UniqueItems {
		add("Items must differ", "")
	}
	switch {
	case s.XListType == nil:
	case *s.XListType == "map":
		add("List that is merged by the key", strings.Join(s.XListMapKeys, ", "))
	case *s.XListType == "set":
		add("Set: each item once", "")
	default:
		add("Replaced as a whole when it is applied", "")
	}
	if s.XMapType != nil && *s.XMapType == "atomic" {
		add("Replaced as a whole when it is applied", "")
	}
	if s.Nullable {
		add("May be null", "")
	}
	if s.XEmbeddedResource {
		add("A complete object, with apiVersion, kind and metadata", "")
	}
	if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields && len(s.Properties) > 0 {
		add("Other fields than these are kept", "")
	}
	all = append(all, junctors(s)...)
	if !inside {
		return all
	}
	for _, in := range []struct {
		words  string
		schema *props
	}{{"Each item", project.ItemsOf(s)}, {"Each value", project.ValuesOf(s)}} {
		if in.schema != nil {
			for _, l := range limitsOf(merged(in.schema), len(in.schema.Properties) == 0) {
				add(in.words+": "+lower(l.Text), l.Code)
			}
		}
	}
	return all
}

// junctors are anyOf, oneOf, not and what merged left of allOf, in words where they are about which fields there are.
func junctors(s *props) (all []Limit) {
	if s.XIntOrString {
		return nil
	}
	for _, j := range []struct {
		words string
		of    []apiextv1.JSONSchemaProps
	}{{"At least one of the fields", s.AnyOf}, {"Exactly one of the fields", s.OneOf}} {
		if len(j.of) == 0 {
			continue
		}
		if names := onlyRequired(j.of); names != nil {
			all = append(all, Limit{j.words, strings.Join(names, ", ")})
		} else {
			all = append(all, Limit{strings.Replace(j.words, "the fields", "these schemas", 1), shortJSON(j.of)})
		}
	}
	for i := range s.AllOf {
		all = append(all, Limit{"Also the schema", shortJSON(&s.AllOf[i])})
	}
	if s.Not != nil {
		all = append(all, Limit{"Not the schema", shortJSON(s.Not)})
	}
	return all
}

// onlyRequired are the fields that schemas require, if each requires one and says nothing else.
func onlyRequired(of []apiextv1.JSONSchemaProps) (names []string) {
	for i := range of {
		s := of[i].DeepCopy()
		if len(s.Required) != 1 {
			return nil
		}
		names = append(names, s.Required[0])
		if s.Required = nil; asJSON(s) != "{}" {
			return nil
		}
	}
	return names
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}

func shortJSON(v any) string { return text.Shorten(asJSON(v), 400) }

// rulesOf are the rules of CEL of a schema, less those that say that it is immutable.
func rulesOf(s *props) (all []Rule) {
	for _, r := range s.XValidations {
		if keeps(r) || slices.ContainsFunc(slices.Collect(maps.Keys(s.Properties)), func(name string) bool { return keepsField(r, name) }) {
			continue
		}
		rule := Rule{Message: r.Message, Rule: strings.TrimSpace(r.Rule)}
		if r.Message == "" && r.MessageExpression != "" {
			rule.Message = "The message is the value of " + r.MessageExpression
		}
		all = append(all, rule)
	}
	return all
}

// inlineRules are the rules of a schema and of what is in lists and maps, save for those of objects that have sections of their own.
func inlineRules(s *props, elsewhere bool) (all []Rule) {
	if len(s.Properties) == 0 || elsewhere {
		all = rulesOf(s)
	}
	for _, in := range []*props{project.ItemsOf(s), project.ValuesOf(s)} {
		if in != nil {
			all = append(all, inlineRules(in, elsewhere)...)
		}
	}
	return all
}

// keeps reports whether a rule says that a value is immutable.
func keeps(r apiextv1.ValidationRule) bool {
	return immutable.MatchString(strings.Join(strings.Fields(r.Rule), " "))
}

var (
	immutable  = regexp.MustCompile(`^(self == oldSelf|oldSelf == self)$`)
	deprecated = regexp.MustCompile(`(?m)(^|[.!?)\s])(Deprecated:|DEPRECATED\b)`)
)

// fixes reports whether a rule of an object keeps a field of it as it is.
func fixes(s *props, name string) bool {
	return slices.ContainsFunc(s.XValidations, func(r apiextv1.ValidationRule) bool { return keepsField(r, name) })
}

func keepsField(r apiextv1.ValidationRule, name string) bool {
	rule := strings.Join(strings.Fields(r.Rule), " ")
	return rule == fmt.Sprintf("self.%s == oldSelf.%s", name, name) || rule == fmt.Sprintf("oldSelf.%s == self.%s", name, name)
}
