// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"hash/maphash"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var fieldFight = &Type{
	Name:  "field-fight",
	Means: "two clients change a field back and forth: each restores its value at least twice after the other changed it",
	Fix:   "let one of them own the field: omit it from what the controller sends (server-side apply without it), or set it only when the object is created",
	needs: []trace.Kind{trace.KindRequest, trace.KindVersion},
	lacks: throughProxy,
	install: func(b base) {
		f := &fights{base: b, fields: map[field]*fight{}, shown: map[*fight]bool{}, seed: maphash.MakeSeed()}
		b.onVersion = append(b.onVersion, f.version)
		b.onTick = append(b.onTick, f.tick)
	},
}

const (
	fightFlips  = 4 // A→B→A→B→A
	fightQuiet  = 10 * second
	fightForget = 120 * second
	fieldsMax   = 100_000
)

type fights struct {
	base

	fields map[field]*fight
	shown  map[*fight]bool // that have a finding
	seed   maphash.Seed
}

type field struct {
	object trace.ObjectID
	path   string
}

// fight is the newest write of a field, and how often in a row a write by another client restored the value before.
type fight struct {
	who      *model.Who
	old, new uint64 // values
	t        int64
	writers  trace.Certainty // how certain it is who wrote, of the least certain
	subject  string
	flips    *window // nil before the first
}

func (f *fights) version(v *model.Version) {
	if v.Request == nil || len(v.Changes) > 50 {
		return // of an object that is replaced as a whole, no field is fought over
	}
	for _, c := range paths(v.Version) {
		f.change(v, c)
	}
}

func (f *fights) change(v *model.Version, c trace.Change) {
	k := field{v.Object.ID, c.Path}
	who, old, now := v.Request.Actor.Who, maphash.Bytes(f.seed, c.Old), maphash.Bytes(f.seed, c.New)
	was := f.fields[k]
	if was == nil {
		if len(f.fields) >= fieldsMax {
			f.prune(v.T)
		}
		f.fields[k] = &fight{who: who, old: old, new: now, t: v.T, writers: v.Writer.Certainty}
		return
	}
	rival := was.who
	back := who != rival && now == was.old && old == was.new
	was.who, was.old, was.new, was.t = who, old, now, v.T
	if !back {
		f.end(was)
		was.writers = v.Writer.Certainty
		return
	}
	was.writers = weaker(was.writers, v.Writer.Certainty)
	if was.flips == nil {
		was.flips = &window{}
	}
	was.flips.add(v.T, v.Seq)
	if was.flips.n() >= fightFlips {
		f.show(v, c, was, rival)
	}
}

func (f *fights) show(v *model.Version, c trace.Change, w *fight, rival *model.Who) {
	who := v.Request.Actor.Who
	a, b := who.Name, rival.Name // who wrote other fields in between does not count
	from, to := differ(c.New, c.Old)
	from, to = plain(from), plain(to)
	if rival.Own() && !who.Own() {
		a, b, from, to = b, a, to, from // the controller comes first
	}
	w.subject, f.shown[w] = fmt.Sprintf("%s, %s", v.Object, c.Path), true
	period := float64(w.flips.last()-w.flips.first()) / float64(w.flips.n()-1) * 2 / float64(second)
	certainty, values, clients := w.writers, from+"↔"+to, a+" ↔ "+b
	if certainty != trace.Certain {
		clients = "probably " + clients
	}
	if c.Withheld() { // that it is the value before is a guess
		certainty, values = weaker(certainty, trace.Likely), "changes in turn"
	}
	f.report(trace.Finding{
		Subject: w.subject, Since: w.flips.began, Certainty: certainty, Evidence: w.flips.evidence(),
		Message: fmt.Sprintf("%s: %s %s, %s, every %.1f s (%d changes)", v.Object, c.Path, values, clients, period, w.flips.total),
	}, v.T)
}

func (f *fights) tick(now int64) {
	if now/second%10 == 0 {
		f.prune(now)
	}
	for w := range f.shown {
		period := (w.flips.last() - w.flips.first()) / int64(max(1, w.flips.n()-1))
		if now-w.t > max(fightQuiet, 3*period) {
			f.end(w)
		}
	}
}

func (f *fights) end(w *fight) {
	if w.flips = nil; f.shown[w] {
		delete(f.shown, w)
		f.resolve(w.subject)
	}
}

// prune forgets fields that one client alone writes, or that are left alone.
func (f *fights) prune(now int64) {
	for k, w := range f.fields {
		if w.flips == nil && now-w.t > fightForget {
			delete(f.fields, k)
		}
	}
	if len(f.fields) >= fieldsMax {
		for k, w := range f.fields {
			if w.flips == nil {
				delete(f.fields, k)
			}
		}
	}
}
