// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var permissionMissing = &Type{
	Name:  "permission-missing",
	Means: "the controller was refused a request because its role does not allow it",
	Fix:   "grant it, or do not ask",
	needs: []trace.Kind{trace.KindRequest},
	install: func(b base) {
		m := &missing{base: b, of: map[permission]*window{}}
		b.onRequest = append(b.onRequest, m.request)
		b.onTick = append(b.onTick, m.tick)
	},
}

const missingQuiet = 300 * second

type missing struct {
	base

	of map[permission]*window
}

type permission struct {
	who                       *model.Who
	verb, resource, sub, path string
	namespace                 string
}

// verbOf is the verb that authorization knows.
func verbOf(r *model.Request) string {
	if r.Verb == "apply" {
		return "patch"
	}
	return r.Verb
}

func (m *missing) request(r *model.Request) {
	if !r.Actor.Who.Own() || r.Verb == "list" || r.Verb == "watch" {
		return // watch-denied has these
	}
	k := permission{r.Actor.Who, verbOf(r), model.GroupResource(r.Resource), r.Subresource, r.Path, r.Namespace}
	if !r.Forbidden() {
		if w := m.of[k]; w != nil && r.Code != 403 {
			delete(m.of, k)
			m.resolve(k.subject())
		}
		return
	}
	w := windowOf(m.of, k)
	w.add(r.T, r.Seq)
	if w.n() > 10 {
		w.marks = w.marks[1:]
	}
	fix := "grant it to the controller's role: " + marker(r.Resource, r.Subresource, k.verb)
	if r.Path != "" {
		fix = "grant " + k.verb + " of the path " + r.Path + " to the controller's role"
	}
	m.report(trace.Finding{
		Subject: k.subject(), Since: w.began, Certainty: trace.Certain, Evidence: w.evidence(), Fix: fix,
		Message: fmt.Sprintf("%s may not %s: 403, %s", k.who.Name, k.what(), times(w.total)),
	}, r.T)
}

func (k permission) what() string {
	what := k.verb + " " + k.resource
	if k.path != "" {
		what = k.verb + " " + k.path
	}
	if k.sub != "" {
		what += "/" + k.sub
	}
	if k.namespace != "" {
		what += " in " + k.namespace
	}
	return what
}

func (k permission) subject() string { return k.who.Name + ", " + k.what() }

func (m *missing) tick(now int64) {
	for k, w := range m.of {
		if now-w.last() > missingQuiet {
			delete(m.of, k)
			m.resolve(k.subject())
		}
	}
}
