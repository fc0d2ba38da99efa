// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var noOpWrites = &Type{
	Name:  "no-op-writes",
	Means: "of at least 20 writes of a resource within a minute, more than half changed nothing",
	Fix:   "compare before the write, and send nothing if nothing differs",
	needs: []trace.Kind{trace.KindRequest},
	install: func(b base) {
		n := &noOps{base: b, of: map[writing]*writes{}}
		b.onRequest = append(b.onRequest, n.request)
		b.onTick = append(b.onTick, n.tick)
	},
}

const (
	noOpWindow = 60 * second
	noOpQuiet  = 30 * second
	noOpLeast  = 20
)

type noOps struct {
	base

	of map[writing]*writes
}

type writing struct {
	who      *model.Who
	resource string
}

type writes struct {
	all, noop window
	method    string
	object    string
}

func (n *noOps) request(r *model.Request) {
	if !r.Actor.Who.Own() || !r.Writes() || !r.OK() || r.Verb == "create" || r.Verb == "delete" || r.Verb == "deletecollection" || model.ByDesign(r.Resource) {
		return
	}
	k := writing{r.Actor.Who, model.GroupResource(r.Resource)}
	if r.Subresource != "" {
		k.resource += "/" + r.Subresource
	}
	w := n.of[k]
	if w == nil {
		w = &writes{}
		n.of[k] = w
	}
	w.all.add(r.T, r.Seq)
	w.all.cut(r.T - noOpWindow)
	w.noop.cut(r.T - noOpWindow)
	if r.NoOp {
		w.noop.add(r.T, r.Seq)
		if w.method = r.Method(); r.Object != nil {
			w.object = r.Object.String()
		}
	}
	switch {
	case w.all.n() < noOpLeast:
	case w.noop.n()*2 > w.all.n():
		n.report(trace.Finding{
			Subject: k.subject(), Since: w.noop.first(), Certainty: trace.Certain, Evidence: w.noop.evidence(),
			Message: fmt.Sprintf("%s: %d of its last %d writes of %s changed nothing, the newest is %s of %s", k.who.Name, w.noop.n(), w.all.n(), k.resource, w.method, w.object),
		}, r.T)
	default:
		n.resolve(k.subject())
	}
}

func (k writing) subject() string { return k.who.Name + ", " + k.resource }

func (n *noOps) tick(now int64) {
	for k, w := range n.of {
		if w.noop.n() == 0 || now-w.noop.last() > noOpQuiet {
			n.resolve(k.subject())
		}
		if w.all.n() == 0 || now-w.all.last() > noOpWindow {
			delete(n.of, k)
		}
	}
}
