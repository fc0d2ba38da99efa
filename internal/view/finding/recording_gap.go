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

var recordingGap = &Type{
	Name:  "recording-gap",
	Means: "records were dropped, or the file is damaged: what happened in that time can be missing from all other findings",
	Fix:   "record less (--record-bodies none), keep more (--ui-memory), or repeat what you do with less load",
	install: func(b base) {
		g := &gaps{base: b}
		b.onGap = append(b.onGap, g.gap)
		b.onTick = append(b.onTick, g.tick)
	},
}

const gapQuiet = 10 * second

type gaps struct {
	base

	window

	dropped map[trace.Kind]int64
	damage  damage
}

// damage is what cannot be read of a file. It does not end with time: nothing shows what is missing.
type damage struct {
	window

	since, records int64
	why            string // of the first
}

func (g *gaps) gap(b *trace.Gap, r trace.Record) {
	if b.Damaged {
		g.damaged(b, r)
		return
	}
	if g.dropped == nil {
		g.dropped = map[trace.Kind]int64{}
	}
	g.add(r.T, r.Seq)
	all := int64(0)
	for k, n := range b.Dropped {
		g.dropped[k] += n
	}
	var kinds []string
	for _, k := range slices.Sorted(maps.Keys(g.dropped)) {
		all += g.dropped[k]
		kinds = append(kinds, fmt.Sprintf("%d of kind %s", g.dropped[k], k))
	}
	message := fmt.Sprintf("%s dropped", text.Count(int(all), "record was", "records were"))
	if len(kinds) > 0 {
		message += ": " + strings.Join(kinds, ", ")
	}
	message += fmt.Sprintf("; the newest gap is from %s, for %s", at(b.From), model.Duration(b.To-b.From))
	if b.Why != "" {
		message += ", because " + b.Why
	}
	g.report(trace.Finding{Subject: "recording", Since: max(1, b.From), Message: message, Certainty: trace.Certain, Evidence: g.evidence()}, r.T)
}

func (g *gaps) damaged(b *trace.Gap, r trace.Record) {
	d := &g.damage
	if d.total == 0 {
		d.since, d.why = max(1, b.From), b.Why
	}
	for _, n := range b.Dropped {
		d.records += n
	}
	d.add(r.T, r.Seq)
	message := fmt.Sprintf("at least %s of the file cannot be read: %s", text.Count(int(d.records), "record", "records"), d.why)
	if d.total > 1 {
		message += fmt.Sprintf(", and %s", text.Count(d.total-1, "place after it", "places after it"))
	}
	g.report(trace.Finding{
		Subject: "file", Since: d.since, Message: message, Certainty: trace.Certain, Evidence: evidence(d.evidence()...),
		Fix: "copy the file again from where it was recorded, or record again: what is missing cannot be restored",
	}, r.T)
}

func (g *gaps) tick(now int64) {
	if g.n() > 0 && now-g.last() > gapQuiet {
		g.cut(now)
		g.resolve("recording")
	}
}
