// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var clientThrottling = &Type{
	Name:  "client-throttling",
	Means: "the controller's own client delays requests: at least 3 lines about client-side throttling within a minute",
	Fix:   "send fewer requests (read from caches, write only what differs), or raise QPS and Burst of the rest.Config",
	needs: []trace.Kind{trace.KindLog},
	lacks: func(e *Engine) string {
		if e.seen[trace.KindLog] == 0 && !e.captures("log") {
			return "no output of the controller is recorded"
		}
		return ""
	},
	install: func(b base) {
		t := &throttled{base: b, of: map[string]*throttle{}}
		b.onLog = append(b.onLog, t.log)
		b.onTick = append(b.onTick, t.tick)
	},
}

const (
	throttleWindow = 60 * second
	throttleLeast  = 3
)

type throttled struct {
	base

	of map[string]*throttle // by actor's name
}

type throttle struct {
	window

	waited int64
}

// aDelay is how long a request waited, in lines of client-go (rest/request.go) as it has them today and had them before:
//
//	"Waited before sending request" delay="1.04s" reason="client-side throttling, not priority and fairness" …
//	Waited for 1.04s due to client-side throttling, not priority and fairness, request: GET:https://…
var aDelay = regexp.MustCompile(`(?:Waited for |delay"?[=:] ?"?)(\d[\dhmsµ.]*)`)

// delayOf is how long a request waited, 0 if the line does not have it, and reports whether the line is about that.
func delayOf(b *trace.Log) (int64, bool) {
	reason, _ := b.Attrs["reason"].(string)
	if !strings.Contains(b.Message, "Waited") || !strings.Contains(b.Message+reason, "client-side throttling") {
		return 0, false
	}
	delay, _ := b.Attrs["delay"].(string)
	if m := aDelay.FindStringSubmatch(b.Message); delay == "" && m != nil {
		delay = m[1]
	}
	d, err := time.ParseDuration(delay)
	if err != nil {
		return 0, true
	}
	return int64(d), true
}

func (d *throttled) log(b *trace.Log, r trace.Record) {
	delay, ok := delayOf(b)
	if !ok {
		return
	}
	who := d.m.Actor(b.Actor).Name
	if b.Actor == 0 {
		who = "the controller"
	}
	w := d.of[who]
	if w == nil {
		w = &throttle{}
		d.of[who] = w
	}
	w.add(r.T, r.Seq)
	w.waited += delay
	if w.cut(r.T - throttleWindow); w.n() < throttleLeast {
		return
	}
	message := fmt.Sprintf("requests of %s were delayed %s by client-side throttling", who, times(w.total))
	if w.waited > 0 {
		message += fmt.Sprintf(", %s in all", model.Duration(w.waited))
	}
	d.report(trace.Finding{Subject: who, Since: w.first(), Message: message, Certainty: trace.Certain, Evidence: w.evidence()}, r.T)
}

func (d *throttled) tick(now int64) {
	for who, w := range d.of {
		if now-w.last() > throttleWindow {
			delete(d.of, who)
			d.resolve(who)
		}
	}
}
