// SPDX-License-Identifier: Apache-2.0

// Package normalize rewrites the schemas of a CRD so that markers can express them: what allOf, anyOf, oneOf and not mean becomes
// keywords of the schema itself, or rules of CEL with the same verdict.
//
// It makes no Go types.
package normalize

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crd"
)

// Schemas returns the schemas of all versions with what no marker can say, allOf, anyOf, oneOf and not, said otherwise where
// that is possible: by the keywords of the schema itself, or by a rule of CEL with the same verdict. The API server's own
// check has the last word on a rule: one that it would refuse, because it might cost too much, is not made. The notes say what became a
// rule; place is that of the CRD.
func Schemas(definition *apiextensionsv1.CustomResourceDefinition, place string) (schemas []*schema, notes []string) {
	const most = 12 // of tries: each of them checks the whole CRD
	refused := map[string]bool{}
	for try := 1; ; try++ {
		changed := definition.DeepCopy()
		var all []*schema
		notes = nil
		var rules []string
		for i := range changed.Spec.Versions {
			v := &changed.Spec.Versions[i]
			r := &normalizer{refused: refused}
			r.walk(v.Schema.OpenAPIV3Schema, "", fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i))
			all = append(all, v.Schema.OpenAPIV3Schema)
			rules = append(rules, r.rules...)
			for _, said := range r.said {
				notes = append(notes, place+": "+v.Name+": "+said)
			}
		}
		if len(rules) == 0 {
			return all, nil
		}
		less := tooMuch(crd.Refusals(changed), rules)
		if try >= most && len(less) > 0 {
			less = rules
		}
		if len(less) == 0 {
			return all, notes
		}
		for _, at := range less {
			refused[at] = true
		}
	}
}

// tooMuch are the places of rules to be given up, of those that were made: the ones that the API server refuses for themselves.
// Where it refuses no more than all rules together, it is the one that is deepest, for it may have to be evaluated most often. (Which of
// them cost most the API server says too, but of equal ones it names any.)
func tooMuch(problems, rules []string) (less []string) {
	if len(problems) == 0 {
		return nil
	}
	const total = "contributed to estimated rule cost total"
	for _, at := range rules {
		// Versions with the same schema are checked once, and at another place.
		if slices.ContainsFunc(problems, func(p string) bool {
			return !strings.Contains(p, total) &&
				(strings.HasPrefix(p, at+".x-kubernetes-validations") || strings.HasPrefix(p, "spec.validation.openAPIV3Schema"+within(at)+".x-kubernetes-validations"))
		}) {
			less = append(less, at)
		}
	}
	if len(less) > 0 {
		return less
	}
	depth := func(at string) int { return strings.Count(at, ".items") + strings.Count(at, ".additionalProperties") }
	deepest := slices.MaxFunc(rules, func(a, b string) int { return cmp.Compare(depth(a), depth(b)) })
	for _, at := range rules {
		if within(at) == within(deepest) {
			less = append(less, at)
		}
	}
	return less
}

// within is a place in the schema of any version.
func within(at string) string {
	_, below, _ := strings.Cut(at, ".openAPIV3Schema")
	return below
}

// normalizer restates the schemas of one version.
type normalizer struct {
	// refused are the places of rules that the API server would not have.
	refused map[string]bool
	rules   []string
	said    []string
}

func (r *normalizer) walk(s *schema, at Path, server string) {
	if s == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		r.walk(&p, at.Field(name), server+".properties["+name+"]")
		s.Properties[name] = p
	}
	if s.Items != nil {
		r.walk(s.Items.Schema, at.Items(), server+".items")
	}
	if s.AdditionalProperties != nil {
		r.walk(s.AdditionalProperties.Schema, at.Values(), server+".additionalProperties")
	}
	lift(s)
	if r.refused[server] || at == "metadata" {
		return
	}
	var rules []apiextensionsv1.ValidationRule
	add := func(keyword string, v apiextensionsv1.ValidationRule) {
		rules = append(rules, v)
		r.said = append(r.said, at.Where()+": "+keyword+" became a CEL rule with the same result")
	}
	var left []schema
	for i := range s.AllOf {
		if v, ok := branchRule(&s.AllOf[i], s); ok {
			add("allOf", v)
		} else {
			left = append(left, s.AllOf[i])
		}
	}
	s.AllOf = left
	group := func(keyword string, branches *[]schema) {
		if v, ok := groupRule(keyword, *branches, s); ok && len(*branches) > 0 {
			add(keyword, v)
			*branches = nil
		}
	}
	if !s.XIntOrString {
		group("anyOf", &s.AnyOf)
	}
	group("oneOf", &s.OneOf)
	if s.Not != nil {
		if text, ok := celOf(s.Not, "self", s); ok {
			add("not", apiextensionsv1.ValidationRule{Rule: "!(" + text + ")", Message: "must not match the schema of not"})
			s.Not = nil
		}
	}
	if len(rules) > 0 {
		s.XValidations = append(s.XValidations, rules...)
		r.rules = append(r.rules, server)
	}
}

// branchRule says one branch of allOf.
func branchRule(branch, of *schema) (apiextensionsv1.ValidationRule, bool) {
	if reflect.DeepEqual(*branch, schema{OneOf: branch.OneOf}) {
		return groupRule("oneOf", branch.OneOf, of)
	}
	if reflect.DeepEqual(*branch, schema{AnyOf: branch.AnyOf}) {
		return groupRule("anyOf", branch.AnyOf, of)
	}
	text, ok := celOf(branch, "self", of)
	return apiextensionsv1.ValidationRule{Rule: text, Message: "must match all schemas of allOf"}, ok
}
