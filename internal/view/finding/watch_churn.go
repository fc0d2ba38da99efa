// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var watchChurn = &Type{
	Name:  "watch-churn",
	Means: "watches of one resource by one process ended at least 4 times within a minute, and not because of a new CRD; each begins with a new list or with all objects",
	Fix:   "make the informer once and keep it; look at why the watches end",
	needs: []trace.Kind{trace.KindWatch},
	install: func(b base) {
		c := &churns{base: b, of: map[churning]*churn{}, installed: map[string]int64{}}
		b.onRequest = append(b.onRequest, c.request)
		b.onWatch = append(b.onWatch, c.watch)
		b.onTick = append(b.onTick, c.tick)
	},
}

const (
	churnWindow = 60 * second
	churnLeast  = 4
	crdEnds     = 5 * second // for how long after a write of a CRD the API server ends watches of its objects
)

// churnWhy is why a watch ended, in a sentence.
var churnWhy = map[string]string{"client": "by the client", "timeout": "by the API server, after its timeout", "expired": "because its version had expired", "error": "with an error"}

type churns struct {
	base

	of        map[churning]*churn
	installed map[string]int64 // when the CRD of a resource was written last
}

type churning struct {
	actor                     *model.Actor // of one process: a new one has new watches
	resource, namespace       string
	labelSelector, fieldNames string
}

type churn struct {
	window

	shown   bool
	ended   *ending // that no new watch has followed
	objects int64
}

type ending struct {
	mark

	why     string
	objects int64
}

// request notes when CRDs are written: each change of one ends the watches of its objects.
func (c *churns) request(r *model.Request) {
	if model.GroupResource(r.Resource) == "customresourcedefinitions.apiextensions.k8s.io" && r.Writes() && r.OK() {
		c.installed[r.Name] = r.T
	}
}

func (k churning) subject() string {
	return watching{k.actor.Who, k.resource, k.namespace}.subject()
}

// watch counts an end when the same process watches again: a process that is stopped ends its watches, too.
func (c *churns) watch(w *model.Watch, b *trace.Watch, r trace.Record) {
	if b.State != "end" && b.State != "open" || !w.Actor.Who.Own() {
		return
	}
	k := churning{w.Actor, model.GroupResource(w.Resource), b.Namespace, b.Labels, b.Fields}
	d := c.of[k]
	if b.State == "end" {
		if d == nil {
			d = &churn{}
			c.of[k] = d
		}
		d.ended = &ending{mark{r.T, r.Seq}, b.End, b.Objects}
		return
	}
	if d == nil || d.ended == nil {
		return
	}
	end := d.ended
	d.ended = nil
	if at, ok := c.installed[k.resource]; ok && end.t <= at+crdEnds && r.T >= at {
		return
	}
	d.add(end.t, end.seq)
	d.objects += end.objects
	if d.cut(r.T - churnWindow); d.n() < churnLeast {
		return
	}
	d.shown = true
	message := fmt.Sprintf("watches of %s by %s ended %s, %s", watching{k.actor.Who, k.resource, k.namespace}.what(), k.actor.Name, times(d.total), perSecond(d.rate()))
	if why := churnWhy[end.why]; why != "" {
		message += ", the last one " + why
	}
	if d.objects > 0 {
		message += fmt.Sprintf("; %d objects were sent again", d.objects)
	}
	c.report(trace.Finding{Subject: k.subject(), Since: d.first(), Message: message, Certainty: trace.Certain, Evidence: d.evidence()}, r.T)
}

func (c *churns) tick(now int64) {
	for k, d := range c.of {
		last := int64(0)
		if d.n() > 0 {
			last = d.last()
		}
		if d.ended != nil {
			last = max(last, d.ended.t)
		}
		if now-last > churnWindow {
			delete(c.of, k)
			c.over(k.subject())
		}
	}
}

// over resolves the finding of a subject, unless other watches of it go on to end: those with another selector, or of another process.
func (c *churns) over(subject string) {
	for k, d := range c.of {
		if d.shown && k.subject() == subject {
			return
		}
	}
	c.resolve(subject)
}
