// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var clientThrottling = &Type{
	Name:  "client-throttling",
	Means: "the controller's own client delays requests: within a minute, at least 3 lines about client-side throttling, or a second of waiting in its metrics; or at least 20 requests come at exactly the rate of a default limit, which is likely",
	Fix:   "send fewer requests (read from caches, write only what differs), or raise QPS and Burst of the rest.Config",
	needs: []trace.Kind{trace.KindLog},
	lacks: func(e *Engine) string { return e.throttled.lacks() },
	install: func(b base) {
		t := &throttled{base: b, of: map[string]*throttle{}, paces: map[paced]*pace{}}
		b.throttled = t
		b.onLog = append(b.onLog, t.log)
		b.onMetrics = append(b.onMetrics, t.metrics)
		b.onRequest = append(b.onRequest, t.request)
		b.onTick = append(b.onTick, t.tick)
	},
}

const (
	throttleWindow = 60 * second
	throttleLeast  = 3
	throttleWaited = second // in metrics
)

type throttled struct {
	base

	of    map[string]*throttle // by actor's name
	paces map[paced]*pace

	verbose   bool // lines show each delay
	asked     bool // the controller sent requests
	exhausted bool // they were so many that client-go's default limit would have delayed some

	waited   float64 // seconds, as the newest metrics have it
	measured *window // of metrics, T is when and Seq is which; nil if no metrics have it
	delays   []int64 // of its marks
}

// lacks is why delays can be invisible. A client that never sent more than the default limit allows has not delayed anything,
// unless its limit is set below the default.
func (d *throttled) lacks() string {
	output := d.seen[trace.KindLog] > 0 || d.captures("log")
	switch {
	case d.verbose || d.measured != nil || d.asked && !d.exhausted || !d.asked && output:
		return ""
	case !output:
		return "no output of the controller is recorded"
	}
	return "client-go prints delays of less than a second only at verbosity 3 (-v=3), and the controller's metrics do not have rest_client_rate_limiter_duration_seconds"
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
	if seconds, ok := b.Attrs["delay"].(float64); ok { // as zap writes it
		return int64(seconds * float64(second)), true
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
	// controller-runtime prints the first at verbosity 5, and client-go the others at 3.
	if b.Message == "Reconciling" && b.Level == "debug" || strings.HasPrefix(b.Message, "Listing and watching") || ok && delay > 0 && delay < second {
		d.verbose = true
	}
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

// metrics adds up how long requests waited, as the metrics of client-go have it where a program registers them.
func (d *throttled) metrics(b *trace.Metrics, r trace.Record) {
	waited, found := 0.0, false
	for _, name := range slices.Sorted(maps.Keys(b.Samples)) {
		if strings.HasPrefix(name, "rest_client_rate_limiter_duration_seconds_sum") {
			waited, found = waited+b.Samples[name], true
		}
	}
	if !found {
		return
	}
	grew := waited - d.waited
	if grew < 0 { // another process
		grew = waited
	}
	if d.measured == nil { // what was before is not of this minute
		d.measured, grew = &window{}, 0
	}
	d.waited = waited
	d.measured.add(r.T, r.Seq)
	d.measured.cut(r.T - throttleWindow)
	d.delays = append(d.delays, int64(grew*float64(second)))
	d.delays = d.delays[len(d.delays)-d.measured.n():]
	total := int64(0)
	for _, delay := range d.delays {
		total += delay
	}
	const who = "the controller"
	if total < throttleWaited {
		d.resolve(who)
	} else if len(d.of) == 0 { // else lines say it of each request
		message := fmt.Sprintf("requests of %s waited %s for client-side throttling within %s, as its metrics show", who, model.Duration(total), model.Duration(throttleWindow))
		d.report(trace.Finding{Subject: who, Since: d.measured.first(), Message: message, Certainty: trace.Certain, Evidence: d.measured.evidence()}, r.T)
	}
}

func (d *throttled) tick(now int64) {
	d.tickPaces(now)
	for who, w := range d.of {
		if now-w.last() > throttleWindow {
			delete(d.of, who)
			d.resolve(who)
		}
	}
}
