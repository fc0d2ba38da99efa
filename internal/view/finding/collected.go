// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var collected = &Type{
	Name:  "collected",
	Means: "the garbage collector deleted an object though its owner was not deleted: it treated the owner as missing",
	Fix:   "correct the owner reference: the owner must be in the same namespace, or cluster-scoped, with the UID, kind and name of the reference",
	needs: []trace.Kind{trace.KindRequest, trace.KindVersion},
	lacks: throughProxy,
	install: func(b base) {
		c := &collections{base: b, ended: map[string]bool{}, open: map[string]int64{}}
		b.onVersion = append(b.onVersion, c.version)
		b.onRequest = append(b.onRequest, c.request)
		b.onTick = append(b.onTick, c.tick)
	},
}

const (
	collectedFor = 30 * second
	endedMax     = 50_000
)

type collections struct {
	base

	ended map[string]bool // UIDs of owners that were deleted
	order []string
	open  map[string]int64 // subjects, with when they were collected
}

func (c *collections) version(v *model.Version) {
	uid := v.Object.UID
	if v.Type != "DELETED" && v.Deleting == "" || c.ended[uid] {
		return
	}
	c.ended[uid] = true
	if c.order = append(c.order, uid); len(c.order) > endedMax {
		delete(c.ended, c.order[0])
		c.order = c.order[1:]
	}
}

func (c *collections) request(r *model.Request) {
	if r.Verb != "delete" || !r.OK() || r.Object == nil || !strings.Contains(r.Actor.Name+r.Actor.Agent, "garbage-collector") {
		return
	}
	v := r.Object.Newest()
	if v == nil || len(v.Owners) == 0 {
		return
	}
	certainty, problem := trace.Certain, ""
	for _, ref := range v.Owners {
		if c.ended[ref.UID] {
			return // as it should be
		}
		if p := c.absent(r.Object, ref); p != "" {
			problem = fmt.Sprintf("owner %s %s %s", ref.Kind, ref.Name, p)
		} else if c.m.ByUID(ref.UID) != nil {
			return // it exists, or its end is recorded later
		} else if problem == "" {
			certainty = trace.Likely
			problem = fmt.Sprintf("owner %s %s with the UID %s, which was not seen in this recording", ref.Kind, ref.Name, ref.UID)
		}
	}
	subject := r.Object.String()
	c.open[subject] = r.T
	c.report(trace.Finding{
		Subject: subject, Certainty: certainty, Evidence: evidence(r.Seq, v.Seq),
		Message: fmt.Sprintf("%s was deleted by %s: %s", r.Object, r.Actor.Name, problem),
	}, r.T)
}

func (c *collections) tick(now int64) {
	for subject, t := range c.open {
		if now-t > collectedFor {
			delete(c.open, subject)
			c.resolve(subject)
		}
	}
}
