// SPDX-License-Identifier: Apache-2.0

package rbacaudit

import (
	"cmp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"

	"github.com/crdctl/crdctl/internal/trace"
)

// Report compares what an account used with what it holds.
type Report struct {
	// Missing is what the API server refused, and would refuse again.
	Missing []Permission
	// Unused is what roles grant, and no request needed.
	Unused []Permission
	// Unknown is what roles grant of which it is not known whether it was used: more was asked than a Recorder keeps.
	Unknown []Permission
	// Wide is what rules with a "*" were used for.
	Wide []Permission
	// Full reports that there was more than what is in Missing and Wide.
	Full bool
}

// Permission is what may be done with one resource.
type Permission struct {
	// Role is the role that grants it; empty in what is missing.
	Role string
	// Namespace is where; empty for everywhere, and for what is in no namespace.
	Namespace string
	// Group and Resource name it; for a request of no resource, Resource is the path.
	Group, Resource string
	// Elsewhere are the namespaces in which roles grant what is missing here.
	Elsewhere []string
	// Name is the one object that the rule is about, if it names any, or should name.
	Name string
	// Verbs are sorted.
	Verbs []string
}

// Compare makes the report of an account. Both arguments may be empty.
func Compare(used Used, grants []Grant) Report {
	var missing, unused, unknown, wide permissions
	for _, t := range used.Tallies {
		if t.Refused > 0 && !covered(t, grants) {
			p := Permission{Namespace: t.Namespace, Group: t.Group, Resource: cmp.Or(t.Resource, t.Path), Elsewhere: elsewhere(t.Request, grants)}
			if slices.Contains(byName, t.Verb) {
				p.Name = t.Name
			}
			missing.add(p, t.Verb)
		}
	}
	for _, g := range grants {
		for _, atom := range atoms(g.Rule) {
			needed := Grant{Namespace: g.Namespace, Rule: atom.needed()}
			matched := matching(used.Tallies, needed)
			p := Permission{Role: g.Role, Namespace: g.Namespace, Group: atom.group, Resource: atom.resource, Name: atom.name}
			switch {
			case len(matched) == 0 && blocksDeletion(atom.verb, atom.resource):
			case len(matched) == 0 && (used.Full || mayMatch(used.Tallies, needed)):
				unknown.add(p, atom.verb)
			case len(matched) == 0:
				unused.add(p, atom.verb)
			case atom.wide():
				for _, m := range matched {
					wide.add(Permission{Role: g.Role, Namespace: g.Namespace, Group: m.Group, Resource: cmp.Or(m.Resource, m.Path)}, m.Verb)
				}
			}
		}
	}
	return Report{Missing: missing.sorted(), Unused: unused.sorted(), Unknown: unknown.sorted(), Wide: wide.sorted(), Full: used.Full}
}

// blocksDeletion reports whether a permission is that to set blocking owner references. No request is for it: an admission plugin that some
// clusters have on, such as those of OpenShift, asks whether it is granted.
func blocksDeletion(verb, resource string) bool {
	return verb == "update" && strings.HasSuffix(resource, "/finalizers")
}

// byName are the verbs that are granted for single names, as the rest of a rule would be too much.
var byName = []string{"approve", "attest", "bind", "impersonate", "sign", "use"}

// anyName is the grant without its names.
func (g Grant) anyName() Grant {
	g.Rule.ResourceNames = nil
	return g
}

// mayMatch reports whether the grant may have been used for one of the names that are not told apart.
func mayMatch(used []Tally, g Grant) bool {
	return slices.ContainsFunc(used, func(t Tally) bool { return t.Others && t.Allowed > 0 && g.anyName().allows(t.Request) })
}

// elsewhere are the namespaces in which the request would be granted.
func elsewhere(r Request, grants []Grant) []string {
	var all []string
	for _, g := range grants {
		if r.Namespace = g.Namespace; g.Namespace != "" && g.allows(r) && !slices.Contains(all, g.Namespace) {
			all = append(all, g.Namespace)
		}
	}
	slices.Sort(all)
	return all
}

// covered reports whether a request is granted by now; of names that are not told apart, whether that may be so.
func covered(t Tally, grants []Grant) bool {
	return slices.ContainsFunc(grants, func(g Grant) bool { return g.allows(t.Request) || t.Others && g.anyName().allows(t.Request) })
}

func matching(used []Tally, g Grant) []Request {
	var all []Request
	for _, t := range used {
		if t.Allowed > 0 && g.allows(t.Request) {
			all = append(all, t.Request)
		}
	}
	return all
}

func (g Grant) allows(r Request) bool {
	if g.Namespace != "" && g.Namespace != r.Namespace {
		return false
	}
	resource, sub, _ := strings.Cut(r.Resource, "/")
	return rbac.RuleAllows(authorizer.AttributesRecord{
		Verb: r.Verb, APIGroup: r.Group, Resource: resource, Subresource: sub, Namespace: r.Namespace, Name: r.Name,
		ResourceRequest: r.Path == "", Path: r.Path,
	}, &g.Rule)
}

// atom is a rule with one of everything.
type atom struct {
	verb, group, resource, name string
	rule                        rbacv1.PolicyRule
}

// needed is the rule that requests are compared with.
func (a atom) needed() rbacv1.PolicyRule {
	rule := *a.rule.DeepCopy()
	rule.Verbs, rule.APIGroups = trace.NeededFor(a.verb, a.group, a.resource)
	return rule
}

func (a atom) wide() bool {
	return a.verb == rbacv1.VerbAll || a.group == rbacv1.APIGroupAll || strings.HasPrefix(a.resource, rbacv1.ResourceAll)
}

func atoms(rule rbacv1.PolicyRule) []atom {
	var all []atom
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, verb := range rule.Verbs {
		for _, path := range rule.NonResourceURLs {
			all = append(all, atom{verb: verb, resource: "path " + path, rule: rbacv1.PolicyRule{Verbs: []string{verb}, NonResourceURLs: []string{path}}})
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					one := rbacv1.PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}}
					if name != "" {
						one.ResourceNames = []string{name}
					}
					all = append(all, atom{verb: verb, group: group, resource: resource, name: name, rule: one})
				}
			}
		}
	}
	return all
}

// permissions gathers verbs.
type permissions []Permission

func (p *permissions) add(of Permission, verb string) {
	i := slices.IndexFunc(*p, func(x Permission) bool {
		return x.Role == of.Role && x.Namespace == of.Namespace && x.Group == of.Group && x.Resource == of.Resource && x.Name == of.Name && slices.Equal(x.Elsewhere, of.Elsewhere)
	})
	if i < 0 {
		i = len(*p)
		*p = append(*p, of)
	}
	if verbs := &(*p)[i].Verbs; !slices.Contains(*verbs, verb) {
		*verbs = append(*verbs, verb)
		slices.Sort(*verbs)
	}
}

func (p permissions) sorted() []Permission {
	slices.SortStableFunc(p, func(a, b Permission) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return p
}
