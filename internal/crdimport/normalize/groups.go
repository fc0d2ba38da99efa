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

// groupRule says anyOf or oneOf as a rule. Groups of fields are said in the words of controller-tools, so that a marker
// can say them.
func groupRule(keyword string, branches []schema, of *schema) (apiextensionsv1.ValidationRule, bool) {
	if fields := fieldGroup(branches, of); fields != nil {
		return FieldsRule(keyword, fields), true
	}
	if keyword == "oneOf" {
		if fields := noneOrOne(branches, of); fields != nil {
			made := FieldsRule(keyword, fields)
			return apiextensionsv1.ValidationRule{Rule: strings.TrimSuffix(made.Rule, " == 1") + " <= 1", Message: fmt.Sprintf("at most one of the fields in %v may be set", fields)}, true
		}
	}
	var each []string
	for i := range branches {
		text, ok := celOf(&branches[i], "self", of)
		if !ok {
			return apiextensionsv1.ValidationRule{}, false
		}
		if keyword == "oneOf" {
			text = "(" + text + " ? 1 : 0)"
		}
		each = append(each, text)
	}
	if keyword == "oneOf" {
		return apiextensionsv1.ValidationRule{Rule: strings.Join(each, " + ") + " == 1", Message: "must be as exactly one of oneOf says"}, true
	}
	return apiextensionsv1.ValidationRule{Rule: strings.Join(each, " || "), Message: "must be as one of anyOf says"}, true
}

// PlainName matches the names of properties that CEL has as they are.
var PlainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// fieldGroup are the fields of which each branch requires one and says nothing else; nil if that is not so.
func fieldGroup(branches []schema, of *schema) []string {
	var fields []string
	for _, branch := range branches {
		if len(branch.Required) != 1 || !reflect.DeepEqual(branch, schema{Required: branch.Required}) {
			return nil
		}
		name := branch.Required[0]
		p, ok := of.Properties[name]
		if !ok || !reachable(&p) || celName(name) != name || slices.Contains(of.Required, name) || slices.Contains(fields, name) {
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

// FieldsRule is the rule that controller-tools makes of its markers for anyOf and oneOf of fields.
func FieldsRule(keyword string, fields []string) apiextensionsv1.ValidationRule {
	var terms []string
	if keyword == "anyOf" {
		for _, f := range fields {
			terms = append(terms, "has(self."+f+")")
		}
		return apiextensionsv1.ValidationRule{Rule: strings.Join(terms, "||"), Message: fmt.Sprintf("at least one of the fields in %v must be set", fields)}
	}
	for _, f := range fields {
		terms = append(terms, "(has(self."+f+")?1:0)")
	}
	return apiextensionsv1.ValidationRule{Rule: strings.Join(terms, "+") + " == 1", Message: fmt.Sprintf("exactly one of the fields in %v must be set", fields)}
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
