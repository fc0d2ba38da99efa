// SPDX-License-Identifier: Apache-2.0

package rbacaudit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Lines is the report in words. With markers, what is missing is shown as the markers that make the role; otherwise as
// rules of a role.
func (r Report) Lines(a Account, markers bool) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	list := func(all []Permission, format string, args ...any) {
		if len(all) > 0 {
			say(format, args...)
		}
		for _, p := range all {
			say("  %s: %s", p.Role, p)
		}
	}
	account := a.Namespace + "/" + a.Name
	if len(r.Missing) > 0 {
		say("%s was refused permissions that its roles do not grant:", account)
		for _, p := range r.Missing {
			if say("  %s", p); len(p.Elsewhere) > 0 {
				lines[len(lines)-1] += fmt.Sprintf(" (roles grant this in %s only: use it there, or bind a ClusterRole with a ClusterRoleBinding)", strings.Join(p.Elsewhere, ", "))
			}
		}
		if slices.ContainsFunc(r.Missing, Permission.givesAway) {
			say("instead of escalate or bind, its roles can have the permissions that it grants to others")
		}
		if rules := r.rules(); len(rules) > 0 {
			say("if the controller needs it, grant it with")
			for _, rule := range rules {
				say("  %s", rule.rule(markers))
			}
		}
	}
	list(r.Unused, "%s has permissions that it did not use in this run:", account)
	list(r.Unknown, "%s has permissions that it may or may not have used (only %d names of a kind and %d different requests are recorded):", account, maxNames, maxRequests)
	list(r.Wide, "of what \"*\" grants to %s, it used:", account)
	if r.Full {
		say("%s made more than %d different requests; refused or needed permissions beyond these are unknown", account, maxRequests)
	}
	if len(lines) == 0 {
		say("%s used all the permissions that its roles grant, and needed no other", account)
	}
	return lines
}

// String is the request in the words of Permission.
func (r Request) String() string {
	return Permission{Namespace: r.Namespace, Group: r.Group, Resource: cmp.Or(r.Resource, r.Path), Name: r.Name, Verbs: []string{r.Verb}}.String()
}

// String is the permission in kubectl's words, as "create, get deployments.apps in default".
func (p Permission) String() string {
	text := strings.Join(p.Verbs, ", ") + " " + p.Resource
	if resource, sub, _ := strings.Cut(p.Resource, "/"); p.Group != "" && resource != "" {
		text = strings.Join(p.Verbs, ", ") + " " + resource + "." + p.Group
		if sub != "" {
			text += "/" + sub
		}
	}
	if p.Name != "" {
		text += " " + p.Name
	}
	if p.Namespace != "" {
		text += " in " + p.Namespace
	}
	return text
}

// givesAway reports whether the permission is one to pass on rights.
func (p Permission) givesAway() bool {
	return slices.Contains(p.Verbs, "escalate") || slices.Contains(p.Verbs, "bind")
}

// rules are what is missing, whatever the namespace.
func (r Report) rules() (all permissions) {
	for _, p := range r.Missing {
		if len(p.Elsewhere) > 0 {
			continue // the rule is there
		}
		for _, verb := range p.Verbs {
			all.add(Permission{Group: p.Group, Resource: p.Resource, Name: p.Name}, verb)
		}
	}
	return all
}

// rule is the permission as a rule of a role, or as the marker that makes one.
func (p Permission) rule(marker bool) string {
	path := strings.HasPrefix(p.Resource, "/")
	name := ""
	switch verbs := strings.Join(p.Verbs, ";"); {
	case marker && path:
		return fmt.Sprintf("// +kubebuilder:rbac:urls=%s,verbs=%s", p.Resource, verbs)
	case marker:
		if p.Name != "" {
			name = ",resourceNames=" + p.Name
		}
		return fmt.Sprintf("// +kubebuilder:rbac:groups=%s,resources=%s%s,verbs=%s", cmp.Or(p.Group, `""`), p.Resource, name, verbs)
	case path:
		return fmt.Sprintf("- {nonResourceURLs: [%q], verbs: [%s]}", p.Resource, strings.Join(p.Verbs, ", "))
	default:
		if p.Name != "" {
			name = fmt.Sprintf(", resourceNames: [%q]", p.Name)
		}
		return fmt.Sprintf("- {apiGroups: [%q], resources: [%s]%s, verbs: [%s]}", p.Group, p.Resource, name, strings.Join(p.Verbs, ", "))
	}
}
