// SPDX-License-Identifier: Apache-2.0

package normalize

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// groupRule writes anyOf or oneOf as a rule. Groups of fields are in the words of controller-tools, so that a marker can stand for them.
func groupRule(keyword string, branches []schema, of *schema) (apiextensionsv1.ValidationRule, bool) {
	group, message, marker := &schema{AnyOf: branches}, "must match at least one schema of anyOf", "AtLeastOneOf"
	if keyword == "oneOf" {
		group, message, marker = &schema{OneOf: branches}, "must match exactly one schema of oneOf", "ExactlyOneOf"
		if fields := noneOrOne(branches, of); fields != nil {
			return FieldsRule("AtMostOneOf", fields), true
		}
	}
	if fields := fieldGroup(branches, of); fields != nil {
		return FieldsRule(marker, fields), true
	}
	text, ok := celOf(group, "self", of)
	return apiextensionsv1.ValidationRule{Rule: strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"), Message: message}, ok
}

// plainName matches the names of properties that CEL has as they are.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// fieldGroup are the fields of which each branch requires one and says nothing else; nil if that is not so.
func fieldGroup(branches []schema, of *schema) []string {
	var fields []string
	for _, branch := range branches {
		if len(branch.Required) != 1 || !reflect.DeepEqual(branch, schema{Required: branch.Required}) {
			return nil
		}
		name := branch.Required[0]
		field, _, ok := property("self", name, of)
		if !ok || field != "self."+name || slices.Contains(of.Required, name) || slices.Contains(fields, name) {
			return nil
		}
		fields = append(fields, name)
	}
	return fields
}

// noneOrOne are the fields of a oneOf that has a branch for each of them, and one more for none of them.
func noneOrOne(branches []schema, of *schema) []string {
	for i, branch := range branches {
		if branch.Not == nil || !reflect.DeepEqual(branch, schema{Not: branch.Not}) {
			continue
		}
		none := fieldGroup(branch.Not.AnyOf, of)
		if !reflect.DeepEqual(*branch.Not, schema{AnyOf: branch.Not.AnyOf}) {
			none = fieldGroup([]schema{*branch.Not}, of)
		}
		some := fieldGroup(slices.Delete(slices.Clone(branches), i, i+1), of)
		if len(some) > 0 && slices.Equal(slices.Sorted(slices.Values(none)), slices.Sorted(slices.Values(some))) {
			return some
		}
	}
	return nil
}

// groups are the rules that controller-tools makes of its markers for groups of fields.
var groups = map[string]struct{ term, between, end, message string }{
	"ExactlyOneOf": {"(has(self.%s)?1:0)", "+", " == 1", "exactly one of the fields in %v must be set"},
	"AtMostOneOf":  {"(has(self.%s)?1:0)", "+", " <= 1", "at most one of the fields in %v may be set"},
	"AtLeastOneOf": {"has(self.%s)", "||", "", "at least one of the fields in %v must be set"},
}

// FieldsRule is the rule that controller-tools makes of a marker for some fields.
func FieldsRule(marker string, fields []string) apiextensionsv1.ValidationRule {
	group := groups[marker]
	var terms []string
	for _, f := range fields {
		terms = append(terms, fmt.Sprintf(group.term, f))
	}
	return apiextensionsv1.ValidationRule{Rule: strings.Join(terms, group.between) + group.end, Message: fmt.Sprintf(group.message, fields)}
}

// FieldsMarker is the marker that makes this very rule of optional fields of the schema, if there is one.
func FieldsMarker(s *schema, v apiextensionsv1.ValidationRule) (string, bool) {
	_, inside, _ := strings.Cut(v.Message, "[")
	inside, _, _ = strings.Cut(inside, "]")
	fields := strings.Fields(inside)
	for marker := range groups {
		if len(fields) > 0 && reflect.DeepEqual(FieldsRule(marker, fields), v) && !slices.ContainsFunc(fields, func(f string) bool {
			_, known := s.Properties[f]
			return !known || !plainName.MatchString(f) || slices.Contains(s.Required, f)
		}) {
			return marker + "=" + strings.Join(fields, ";"), true
		}
	}
	return "", false
}

// NameRules takes out of a schema what it says of the length and form of a name, as CEL.
func NameRules(s *schema) (all []apiextensionsv1.ValidationRule) {
	add := func(rule, message string) {
		all = append(all, apiextensionsv1.ValidationRule{Rule: rule, Message: message})
	}
	if s.MinLength != nil {
		add(fmt.Sprintf("self.metadata.name.size() >= %d", *s.MinLength), fmt.Sprintf("must have %d characters or more", *s.MinLength))
	}
	if s.MaxLength != nil {
		add(fmt.Sprintf("self.metadata.name.size() <= %d", *s.MaxLength), fmt.Sprintf("must have %d characters or fewer", *s.MaxLength))
	}
	if s.Pattern != "" {
		add("self.metadata.name.matches("+strconv.Quote(s.Pattern)+")", "must match the pattern of names")
	}
	s.MinLength, s.MaxLength, s.Pattern = nil, nil, ""
	return all
}
