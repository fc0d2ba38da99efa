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
	if len(r.Missing) > 0 {
		say("%s/%s was refused what its roles do not grant:", a.Namespace, a.Name)
		for _, p := range r.Missing {
			if say("  %s", p); len(p.Elsewhere) > 0 {
				lines[len(lines)-1] += fmt.Sprintf(" (roles grant that in %s only: ask there, or bind a ClusterRole by a ClusterRoleBinding)", strings.Join(p.Elsewhere, ", "))
			}
		}
		if slices.ContainsFunc(r.Missing, Permission.givesAway) {
			say("instead of escalate or bind, its roles may grant what it grants to others")
		}
		if rules := r.rules(); len(rules) > 0 {
			say("grant it, if the controller needs it, with")
			for _, rule := range rules {
				say("  %s", rule.text(markers))
			}
		}
	}
	if len(r.Unused) > 0 {
		say("%s/%s holds what it did not use in this run:", a.Namespace, a.Name)
		for _, p := range r.Unused {
			say("  %s: %s", p.Role, p)
		}
	}
	if len(r.Unknown) > 0 {
		say("%s/%s holds what it may have used or not (only %d names of a kind and %d different requests are told apart):", a.Namespace, a.Name, maxNames, maxRequests)
		for _, p := range r.Unknown {
			say("  %s: %s", p.Role, p)
		}
	}
	if len(r.Wide) > 0 {
		say("of what \"*\" grants to %s/%s, it used:", a.Namespace, a.Name)
		for _, p := range r.Wide {
			say("  %s: %s", p.Role, p)
		}
	}
	if r.Full {
		say("%s/%s made more than %d different requests; what was refused or needed beyond these is not known", a.Namespace, a.Name, maxRequests)
	}
	if len(lines) == 0 {
		say("%s/%s used all the permissions that its roles grant, and needed no other", a.Namespace, a.Name)
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

// addition is a rule that a role lacks.
type addition struct {
	group, resource, name string
	verbs                 []string
}

// rules are what is missing, whatever the namespace.
func (r Report) rules() []addition {
	var all []addition
	for _, p := range r.Missing {
		if len(p.Elsewhere) > 0 {
			continue // the rule is there
		}
		i := slices.IndexFunc(all, func(a addition) bool { return a.group == p.Group && a.resource == p.Resource && a.name == p.Name })
		if i < 0 {
			i = len(all)
			all = append(all, addition{group: p.Group, resource: p.Resource, name: p.Name})
		}
		all[i].verbs = append(all[i].verbs, p.Verbs...)
	}
	for i := range all {
		slices.Sort(all[i].verbs)
		all[i].verbs = slices.Compact(all[i].verbs)
	}
	return all
}

func (a addition) text(marker bool) string {
	path := strings.HasPrefix(a.resource, "/")
	name := ""
	switch verbs := strings.Join(a.verbs, ";"); {
	case marker && path:
		return fmt.Sprintf("// +kubebuilder:rbac:urls=%s,verbs=%s", a.resource, verbs)
	case marker:
		if a.name != "" {
			name = ",resourceNames=" + a.name
		}
		return fmt.Sprintf("// +kubebuilder:rbac:groups=%s,resources=%s%s,verbs=%s", cmp.Or(a.group, `""`), a.resource, name, verbs)
	case path:
		return fmt.Sprintf("- {nonResourceURLs: [%q], verbs: [%s]}", a.resource, strings.Join(a.verbs, ", "))
	default:
		if a.name != "" {
			name = fmt.Sprintf(", resourceNames: [%q]", a.name)
		}
		return fmt.Sprintf("- {apiGroups: [%q], resources: [%s]%s, verbs: [%s]}", a.group, a.resource, name, strings.Join(a.verbs, ", "))
	}
}
