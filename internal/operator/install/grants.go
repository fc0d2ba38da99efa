// SPDX-License-Identifier: Apache-2.0

package install

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
)

// verbs are those that there are, in the order in which people write them.
var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete"}

// target is what a grant is about: a resource or its subresource, or objects of it by their names.
type target struct {
	group, resource string
	names           string // separated by commas: a slice cannot be a key
}

// grants are verbs by what they are about. What is granted twice is written once.
type grants map[target]map[string]bool

func (g grants) allow(group, resource string, verbs ...string) {
	g.allowNamed(group, resource, nil, verbs...)
}

func (g grants) allowNamed(group, resource string, names []string, verbs ...string) {
	t := target{group, resource, strings.Join(names, ",")}
	if g[t] == nil {
		g[t] = map[string]bool{}
	}
	for _, verb := range verbs {
		g[t][verb] = true
	}
}

// rules are the grants as roles have them: one rule for the resources of a group with the same verbs.
func (g grants) rules() (rules []rbacv1.PolicyRule) {
	targets := slices.SortedFunc(maps.Keys(g), func(a, b target) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.resource, b.resource), cmp.Compare(a.names, b.names))
	})
	for _, t := range targets {
		rule := rbacv1.PolicyRule{APIGroups: []string{t.group}, Resources: []string{t.resource}}
		if t.names != "" {
			rule.ResourceNames = strings.Split(t.names, ",")
		}
		for _, verb := range verbs {
			if g[t][verb] {
				rule.Verbs = append(rule.Verbs, verb)
			}
		}
		if i := slices.IndexFunc(rules, func(other rbacv1.PolicyRule) bool { return alike(rule, other) }); i >= 0 {
			rules[i].Resources = append(rules[i].Resources, t.resource)
			continue
		}
		rules = append(rules, rule)
	}
	return rules
}

// alike reports whether two rules differ in the resource only.
func alike(a, b rbacv1.PolicyRule) bool {
	return slices.Equal(a.APIGroups, b.APIGroups) && slices.Equal(a.Verbs, b.Verbs) && len(a.ResourceNames)+len(b.ResourceNames) == 0
}
