// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var watchChurn = &Type{
	Name:  "watch-churn",
	Means: "watches of one resource by one process ended at least 4 times within a minute; each begins with a new list or with all objects",
	Fix:   "make the informer once and keep it; look at why the watches end",
	needs: []trace.Kind{trace.KindWatch},
	install: func(b base) {
		c := &churns{base: b, of: map[churning]*churn{}}
		b.onWatch = append(b.onWatch, c.watch)
		b.onTick = append(b.onTick, c.tick)
	},
}

const (
	churnWindow = 60 * second
	churnLeast  = 4
)

type churns struct {
	base

	of map[churning]*churn
}

type churning struct {
	actor                     *model.Actor // of one process: a new one has new watches
	resource, namespace       string
	labelSelector, fieldNames string
}

type churn struct {
	window

	objects int64
}

func (k churning) subject() string {
	return watching{k.actor.Who, k.resource, k.namespace}.subject()
}

func (c *churns) watch(w *model.Watch, b *trace.Watch, r trace.Record) {
	if b.State != "end" || !w.Actor.Who.Own() {
		return
	}
	k := churning{w.Actor, model.GroupResource(w.Resource), b.Namespace, b.Labels, b.Fields}
	d := c.of[k]
	if d == nil {
		d = &churn{}
		c.of[k] = d
	}
	d.add(r.T, r.Seq)
	d.objects += b.Objects
	if d.cut(r.T - churnWindow); d.n() < churnLeast {
		return
	}
	message := fmt.Sprintf("watches of %s by %s ended %s, %s", watching{k.actor.Who, k.resource, k.namespace}.what(), k.actor.Name, times(d.total), perSecond(d.rate()))
	if b.End != "" {
		message += ", the last because of " + b.End
	}
	if d.objects > 0 {
		message += fmt.Sprintf("; %d objects were sent again", d.objects)
	}
	c.report(trace.Finding{Subject: k.subject(), Since: d.first(), Message: message, Certainty: trace.Certain, Evidence: d.evidence()}, r.T)
}

func (c *churns) tick(now int64) {
	for k, d := range c.of {
		if now-d.last() > churnWindow {
			delete(c.of, k)
			c.resolve(k.subject())
		}
	}
}
