// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
)

const (
	webhookSlowTook = second / 2
	webhookWindow   = 60 * second
	webhookQuiet    = 30 * second
)

// webhooks counts calls of webhooks and conversions that match.
type webhooks struct {
	base

	of      map[webhook]*calls
	least   int
	matches func(b *trace.Admission, took int64) bool
	message func(k webhook, c *calls) string
}

type webhook struct{ kind, name string }

func (w webhook) String() string {
	if w.kind == "conversion" {
		return "the conversion webhook " + w.name
	}
	return "the " + w.kind + " webhook " + w.name
}

type calls struct {
	window // that match

	all     window
	slowest int64
	err     string
}

func installWebhooks(least int, matches func(*trace.Admission, int64) bool, message func(webhook, *calls) string) func(base) {
	return func(b base) {
		w := &webhooks{base: b, of: map[webhook]*calls{}, least: least, matches: matches, message: message}
		b.onAdmission = append(b.onAdmission, w.admission)
		b.onTick = append(b.onTick, w.tick)
	}
}

func (w *webhooks) admission(b *trace.Admission, r trace.Record) {
	if b.Type == "plugin" || b.Type == "policy" {
		return
	}
	k := webhook{b.Type, b.Name}
	c := w.of[k]
	if c == nil {
		c = &calls{}
		w.of[k] = c
	}
	c.all.add(r.T, r.Seq)
	c.all.cut(r.T - webhookWindow)
	c.cut(r.T - webhookWindow)
	took := r.T - b.Began
	if !w.matches(b, took) {
		return
	}
	c.add(r.T, r.Seq)
	c.slowest = max(c.slowest, took)
	if b.Err != "" {
		c.err = b.Err
	}
	if c.n() >= w.least {
		w.report(trace.Finding{Subject: k.kind + " " + k.name, Since: c.first(), Message: w.message(k, c), Certainty: trace.Certain, Evidence: c.evidence()}, r.T)
	}
}

func (w *webhooks) tick(now int64) {
	for k, c := range w.of {
		if c.n() == 0 || now-c.last() > webhookQuiet {
			w.resolve(k.kind + " " + k.name)
		}
		if now-c.all.last() > webhookWindow {
			delete(w.of, k)
		}
	}
}

func failedOf(c *calls) string {
	s := fmt.Sprintf("%d of %s", c.n(), text.Count(c.all.n(), "call", "calls"))
	if c.err != "" {
		s += ", last error " + quote(c.err)
	}
	return s
}
