// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var permissionUnused = &Type{
	Name:  "permission-unused",
	Means: "the controller's roles grant what it did not use within the first minute, nor since; what the recording does not exercise may be needed elsewhere",
	Fix:   "remove what is never needed from the role, after the recording has shown all that the controller does",
	needs: []trace.Kind{trace.KindRequest, trace.KindWatch},
	lacks: func(e *Engine) string {
		if isPart(e) {
			return "this is a part of a recording, and what was used before it is not in it"
		}
		if reason := throughProxy(e); reason != "" {
			return reason
		}
		if e.seen[trace.KindRights] == 0 {
			return "the controller's roles are not in the recording; record with \"crdctl run --as-service-account\""
		}
		if e.manyUses {
			return fmt.Sprintf("the controller sent requests about at least %d objects, and no more are remembered; record a shorter time", usesMax)
		}
		return ""
	},
	install: func(b base) {
		u := &unused{base: b, granted: map[string]*granted{}, used: map[string]map[use]bool{}}
		b.onRights = append(b.onRights, u.rights)
		b.onRequest = append(b.onRequest, u.request)
		b.onWatch = append(b.onWatch, u.watch)
		b.onTick = append(b.onTick, u.tick)
	},
}

const (
	unusedAfter = 60 * second
	usesMax     = 10_000
)

type unused struct {
	base

	granted map[string]*granted     // by user
	used    map[string]map[use]bool // by user
}

type granted struct {
	trace.Rights

	seq, t   int64
	first    int64 // T of the user's first request since
	reported map[string]bool
}

// use is a request that was allowed, in the terms of roles.
type use struct{ verb, group, resource, name, namespace string }

func (u *unused) rights(b *trace.Rights, r trace.Record) {
	g := u.granted[b.User]
	if g == nil {
		g = &granted{reported: map[string]bool{}}
		u.granted[b.User] = g
	}
	g.Rights, g.seq, g.t = *b, r.Seq, r.T
}

func (u *unused) request(r *model.Request) {
	if r.Forbidden() || r.Code == 401 {
		return
	}
	resource := r.Resource.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	if r.Path != "" {
		resource = r.Path
	}
	u.use(r.Actor.User, use{verbOf(r), r.Resource.Group, resource, r.Name, r.Namespace}, r.T)
}

func (u *unused) watch(w *model.Watch, b *trace.Watch, r trace.Record) {
	u.use(w.Actor.User, use{"watch", w.Resource.Group, w.Resource.Resource, "", b.Namespace}, r.T)
}

func (u *unused) use(user string, what use, t int64) {
	if u.used[user] == nil {
		u.used[user] = map[use]bool{}
	}
	if len(u.used[user]) < usesMax {
		u.used[user][what] = true
	}
	if g := u.granted[user]; g != nil && g.first == 0 {
		g.first = t
	}
}

// isPart reports whether the records are a part of a recording.
func isPart(e *Engine) bool {
	h := e.m.Header()
	return h != nil && h.Begin > 0
}

func (u *unused) tick(now int64) {
	if isPart(u.Engine) {
		return
	}
	for user, g := range u.granted {
		if len(u.used[user]) >= usesMax {
			u.manyUses = true
			continue
		}
		if g.first == 0 || now-g.first < unusedAfter {
			continue
		}
		left := map[string]map[string][]string{} // verbs by resource, by role
		for _, grant := range g.Grants {
			for resource, verbs := range u.left(user, grant) {
				if left[grant.Role] == nil {
					left[grant.Role] = map[string][]string{}
				}
				left[grant.Role][resource] = append(left[grant.Role][resource], verbs...)
			}
		}
		for role := range g.reported {
			if left[role] == nil {
				delete(g.reported, role)
				u.resolve(role)
			}
		}
		for role, rest := range left {
			g.reported[role] = true
			u.report(trace.Finding{
				Subject: role, Since: g.first, Certainty: trace.Certain, Evidence: evidence(g.seq),
				Message: fmt.Sprintf("%s grants what %s did not use in this recording: %s", role, text.Shorten(user, valueMax), listed(rest)),
			}, now)
		}
	}
}

// listed has all of them: nothing else that is printed does.
func listed(left map[string][]string) string {
	var all []string
	for _, resource := range slices.Sorted(maps.Keys(left)) {
		verbs := left[resource]
		slices.Sort(verbs)
		all = append(all, strings.Join(slices.Compact(verbs), ", ")+" "+resource)
	}
	return strings.Join(all, "; ")
}

// left is what a grant allows and was not used: verbs by resource, as "delete" of "deployments.apps".
func (u *unused) left(user string, g trace.Grant) map[string][]string {
	rest := map[string][]string{}
	resources := g.Resources
	groups := g.Groups
	if len(g.Paths) > 0 {
		resources, groups = g.Paths, []string{""}
	}
	for _, group := range groups {
		for _, resource := range resources {
			for _, verb := range g.Verbs {
				owners := verb == "update" && strings.HasSuffix(resource, "/finalizers") // of which only an admission plugin asks whether it is granted
				if !owners && !u.isUsed(user, g, verb, group, resource) {
					r := model.GroupResource(&trace.Resource{Group: group, Resource: resource})
					rest[r] = append(rest[r], verb)
				}
			}
		}
	}
	return rest
}

func (u *unused) isUsed(user string, g trace.Grant, verb, group, resource string) bool {
	verbs, groups := trace.NeededFor(verb, group, resource)
	for used := range u.used[user] {
		if matchAny(verbs, used.verb) && matchAny(groups, used.group) && match(resource, used.resource) &&
			(g.Namespace == "" || g.Namespace == used.namespace) && (len(g.Names) == 0 || slices.Contains(g.Names, used.name)) {
			return true
		}
	}
	return false
}

func matchAny(granted []string, used string) bool {
	return slices.ContainsFunc(granted, func(g string) bool { return match(g, used) })
}

func match(granted, used string) bool {
	if prefix, ok := strings.CutSuffix(granted, "*"); ok {
		return strings.HasPrefix(used, prefix)
	}
	return granted == used
}
