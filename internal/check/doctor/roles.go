// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// permission is one thing that a role can allow.
type permission struct{ group, resource, verb string }

// String is the permission as in "update deployments.apps/status".
func (p permission) String() string {
	resource, sub, _ := strings.Cut(p.resource, "/")
	if p.group != "" {
		resource += "." + p.group
	}
	if sub != "" {
		resource += "/" + sub
	}
	return p.verb + " " + resource
}

// grants are the rules of some roles.
type grants struct {
	rules []rbacv1.PolicyRule
	// unread are the texts of roles that do not parse, as templates of charts may not.
	unread []string
}

// allow reports whether a rule grants a permission. A role that cannot be read is taken to do so if it names the resource.
func (g grants) allow(p permission) bool {
	has := func(all []string, names ...string) bool {
		return slices.ContainsFunc(all, func(one string) bool { return one == "*" || slices.Contains(names, one) })
	}
	resource, sub, _ := strings.Cut(p.resource, "/")
	names := []string{p.resource}
	if sub != "" {
		names = append(names, resource+"/*", "*/"+sub)
	}
	return slices.ContainsFunc(g.rules, func(r rbacv1.PolicyRule) bool {
		return has(r.APIGroups, p.group) && has(r.Resources, names...) && has(r.Verbs, p.verb)
	}) || slices.ContainsFunc(g.unread, func(text string) bool {
		return strings.Contains(text, resource) || strings.Contains(text, `"*"`) || strings.Contains(text, `'*'`)
	})
}

// none reports whether there is no role at all.
func (g grants) none() bool { return len(g.rules)+len(g.unread) == 0 }

// permissions are all that the rules grant; those of rules for some objects only, and of URLs, are left out.
func (g grants) permissions() (all []permission) {
	for _, r := range g.rules {
		if len(r.ResourceNames) > 0 {
			continue
		}
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				for _, verb := range r.Verbs {
					all = append(all, permission{group, resource, verb})
				}
			}
		}
	}
	return all
}

// roles gathers the rules of the roles in some documents.
func roles(docs []document) (g grants) {
	for _, d := range docs {
		switch d.kind {
		case "Role", "ClusterRole":
			var role rbacv1.ClusterRole
			if bytes.Contains(d.text, []byte("{{")) && unreadable.Match(plain(d.text)) || yaml.Unmarshal(plain(d.text), &role) != nil {
				g.unread = append(g.unread, string(d.text))
				continue
			}
			g.rules = append(g.rules, role.Rules...)
		case "ClusterServiceVersion":
			var bundle struct {
				Spec struct {
					Install struct {
						Spec struct {
							ClusterPermissions, Permissions []struct{ Rules []rbacv1.PolicyRule }
						}
					}
				}
			}
			if yaml.Unmarshal(d.text, &bundle) != nil {
				g.unread = append(g.unread, string(d.text))
				continue
			}
			for _, p := range slices.Concat(bundle.Spec.Install.Spec.ClusterPermissions, bundle.Spec.Install.Spec.Permissions) {
				g.rules = append(g.rules, p.Rules...)
			}
		}
	}
	return g
}

// unreadable is an action of a template within the rules of a role.
var unreadable = regexp.MustCompile(`(?s)\nrules:.*\{\{`)

// marked gathers the rules of the markers of which controller-gen makes a role.
func (s *Source) marked() (g grants) {
	for _, f := range s.Go {
		if !f.Has("+kubebuilder:rbac:") {
			continue
		}
		for _, m := range rbacMarker.FindAllStringSubmatch(string(f.Data), -1) {
			var r rbacv1.PolicyRule
			for _, field := range markerField.FindAllStringSubmatch(m[1], -1) {
				values := strings.FieldsFunc(field[2], func(c rune) bool { return strings.ContainsRune(`;,{} `, c) })
				for i := range values {
					values[i] = strings.Trim(values[i], "\"`")
				}
				switch field[1] {
				case "groups":
					r.APIGroups = values
				case "resources":
					r.Resources = values
				case "verbs":
					r.Verbs = values
				case "resourceNames":
					r.ResourceNames = values
				}
			}
			for i, group := range r.APIGroups {
				if group == "core" {
					r.APIGroups[i] = ""
				}
			}
			g.rules = append(g.rules, r)
		}
	}
	return g
}

var (
	rbacMarker  = regexp.MustCompile(`(?m)^\s*//\s*\+kubebuilder:rbac:(.*?)\r?$`)
	markerField = regexp.MustCompile("(\\w+)=((?:\"[^\"]*\"|`[^`]*`|\\{[^}]*\\}|[^,\"`{]+)+)")
)

// userRole is where kubebuilder writes a role that is for users of an API, and not for its controller.
var userRole = lazyregexp.New(`(^|/)[^/]+[-_](admin|editor|viewer)[-_]role\.ya?ml$`)

// granted are the rules of the roles that controllers run with: those below a directory config and of the markers where a generator makes the role of
// the manager of these, since charts and releases have copies; else those of all roles, and of the markers.
func (s *Source) granted() grants {
	all := slices.DeleteFunc(s.documents(), func(d document) bool { return userRole.MatchString(d.file.Path) })
	marked := s.marked()
	if !marked.none() && s.makesRole() || slices.ContainsFunc(all, func(d document) bool { return managerRole.MatchString(d.file.Path) }) {
		all = slices.DeleteFunc(all, func(d document) bool { return !strings.Contains("/"+d.file.Path, "/config/") })
	}
	g := roles(all)
	g.rules = append(g.rules, marked.rules...)
	return g
}

// makesRole reports whether a generator makes a role of the markers.
func (s *Source) makesRole() bool {
	return s.Project != nil && (s.Project.Settings.RBAC.Dir != "" ||
		slices.ContainsFunc(s.Project.Settings.ControllerGen.Calls, func(c config.ControllerGenCall) bool { return c.RBAC != nil }))
}
