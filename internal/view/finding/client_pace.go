// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// limits are the defaults of clients: of client-go, and of controller-runtime before 0.21.
var limits = []struct {
	perSecond, burst float64
	of               string
}{
	{5, 10, "client-go"},
	{20, 30, "controller-runtime before 0.21"},
}

const (
	paceLeast   = 20         // requests
	paceTargets = 3          // a program that polls something on a timer asks the same again
	paceSpread  = 0.5        // in requests
	paceQuiet   = 5 * second // after which it is over
)

// paced is what can have a limit of its own: all requests of a process, or those for a resource, since controller-runtime makes a
// client for each.
type paced struct {
	actor    *model.Actor
	resource trace.ResourceID // 0 for all
	limit    int              // index in limits
}

// pace compares the requests with what a client with a limit sends: it has a bucket of burst tokens, takes one for each request, and
// gets perSecond new ones. A client that waits for tokens keeps the bucket at the same level, for longer than chance does.
type pace struct {
	window // of the requests at this level

	level, low, high float64
	newest           int64
	targets          map[string]bool
	shown            bool
}

func (d *throttled) request(r *model.Request) {
	if r.Actor.Who.Class != trace.ClassController || r.Verb == "watch" || r.Request.Resource == 0 {
		return // client-go does not limit watches
	}
	d.asked = true
	for i := range limits {
		d.pace(paced{r.Actor, 0, i}, r)
		d.pace(paced{r.Actor, r.Request.Resource, i}, r)
	}
}

func (d *throttled) pace(k paced, r *model.Request) {
	l, p := limits[k.limit], d.paces[k]
	if p == nil {
		p = &pace{level: l.burst, newest: r.Began}
		d.paces[k] = p
	}
	p.level = min(l.burst, p.level+l.perSecond*float64(max(0, r.Began-p.newest))/float64(second)) - 1
	p.newest = max(p.newest, r.Began)
	d.exhausted = d.exhausted || k.limit == 0 && k.resource == 0 && p.level < 0
	tooFast := p.level < -1 // for this limit
	p.level = max(p.level, -1)
	if p.low, p.high = min(p.low, p.level), max(p.high, p.level); tooFast || p.level > l.burst/2 || p.high-p.low > paceSpread {
		p.window, p.low, p.high, p.targets = window{}, p.level, p.level, nil
	}
	if tooFast || p.level > l.burst/2 {
		return
	}
	p.add(r.Began, r.Seq)
	if p.targets == nil {
		p.targets = map[string]bool{}
	}
	if len(p.targets) < paceTargets {
		p.targets[r.Method()+r.Target()] = true
	}
	who := r.Actor.Name
	if p.n() < paceLeast || len(p.targets) < paceTargets || d.of[who] != nil {
		return
	}
	what := ""
	if k.resource != 0 {
		what = " for " + model.GroupResource(r.Resource)
	}
	p.shown = true
	d.report(trace.Finding{
		Subject: who, Since: p.first(), Certainty: trace.Likely, Evidence: p.evidence(),
		Message: fmt.Sprintf("requests of %s%s are probably delayed by client-side throttling: after a burst, %d came at exactly %.0f/s, the default limit of %s", who, what, p.total, l.perSecond, l.of),
	}, r.T)
}

func (d *throttled) tickPaces(now int64) {
	for k, p := range d.paces {
		if p.shown && now-p.newest > paceQuiet {
			p.shown = false
			if d.of[k.actor.Name] == nil {
				d.resolve(k.actor.Name)
			}
		}
		if now-p.newest > throttleWindow {
			delete(d.paces, k)
		}
	}
}
