// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var hotLoop = &Type{
	Name:    "hot-loop",
	Means:   "an object is reconciled again and again because of what the reconcile before wrote: at least 5 times in 5 seconds",
	Fix:     "write only what differs: compare the status with what is stored, without times and counters, before the update; or filter the event with a predicate such as GenerationChangedPredicate",
	needs:   []trace.Kind{trace.KindRequest, trace.KindVersion},
	install: func(b base) { newHotLoops(b) },
}

// hotLoops has the chains of each object: reconciles caused by the version that an earlier one wrote, or, where
// reconciles are not recorded, writes that were decided on the version that the write before made.
type hotLoops struct {
	base

	chains map[string]*chain // by controller and key, or by object
}

type chain struct {
	window

	object  string
	weak    window         // of the marks, those that are not certain
	stacked bool           // certain because of what each write was decided on, not because of a recorded cause
	wrote   *model.Version // the newest
	changed string         // its object and paths
	made    int            // new objects of one resource, one after the other
	run     int            // links without anything between them, of one build
	build   int            // of the newest link
	shown   bool
	shownIn int              // build in which it was shown
	newest  *model.Reconcile // of the key; nil where reconciles are not recorded
}

const (
	hotWindow = 5 * second
	hotLinks  = 5
	hotMade   = 20 // more objects of one kind than an object has, as a rule, that makes one with each reconcile
	hotQuiet  = 3 * second
	hotSoon   = second / 4  // after its own write was delivered; a controller that asks to run again does so later
	hotSilent = 10 * second // of a controller of which nothing is recorded
)

func newHotLoops(b base) {
	h := &hotLoops{base: b, chains: map[string]*chain{}}
	b.onBegin = append(b.onBegin, h.reconcile)
	b.onVersion = append(b.onVersion, h.version)
	b.onTick = append(b.onTick, h.tick)
}

// reconcile adds a link if all that caused a reconcile was written by the controller while it reconciled the key. One
// that has no such cause ends the chain: the reconcile after a change by another client is not a loop, however often that
// client changes something.
func (h *hotLoops) reconcile(rec *model.Reconcile) {
	if rec.NoBegin {
		return // of such a controller, version looks at the writes
	}
	var wrote *model.Version
	certainty, foreign := trace.Certain, false
	for _, c := range h.m.Causes(rec) {
		if c.Why == "resync" || c.Why == "timer" || c.Why == "retry" {
			continue
		}
		writer, l := h.writerOf(c.Version)
		switch {
		case writer == rec: // a line may be read later than what follows it happens
		case writer == nil || writer.Controller != rec.Controller || writer.Key != rec.Key || h.m.BuildAt(writer.Began) != h.m.BuildAt(rec.Began):
			foreign = true // also the first of a build, which is reconciled because of what it lists
		default:
			certainty = weaker(certainty, c.Certainty, l.Certainty, c.Version.Writer.Certainty)
			wrote = c.Version
		}
	}
	key := rec.Controller + " " + rec.Key // the object is not known of each reconcile
	if c := h.chains[key]; c != nil {
		c.newest = rec
	}
	switch {
	case wrote == nil && (foreign || rec.Source != "log"):
		h.unlink(key)
		return
	case wrote == nil || foreign:
		return
	}
	before := h.m.Previous(rec)
	if rec.Source == "log" && before != nil && before.After > 0 && rec.Began-before.Ended >= before.After-before.After/20 {
		return // it asked to run again after this time: a predicate may have dropped what it wrote
	}
	stacked := false
	if r := wrote.Request; rec.Source == "log" && wrote.Object == rec.Object && r.RVIn != 0 {
		if stacked = r.OnOwn(); !stacked {
			return // it was decided on what another client wrote
		}
		if certainty = trace.Certain; before != nil && before.Result != "ok" { // else the message does not name a cause
			certainty = trace.Likely // it was to run again anyway
		}
	}
	h.link(key, subjectOf(rec), wrote, certainty, stacked, rec.Began, rec.Seq)
}

// writerOf returns the reconcile that wrote a version, if the controller did, and how that is known.
func (h *hotLoops) writerOf(v *model.Version) (*model.Reconcile, model.Link) {
	if v == nil || v.Request == nil || !v.Request.Actor.Who.Own() {
		return nil, model.Link{}
	}
	return h.m.ReconcileOf(v.Request)
}

// version adds a link for a write of a controller whose reconciles are not recorded.
func (h *hotLoops) version(v *model.Version) {
	r := v.Request
	if h.IsRecorded(trace.ClassController) || h.IsRecorded(trace.ClassBuiltin) || model.ByDesign(v.Object.Resource()) {
		return
	}
	if r == nil || !r.Actor.Who.Own() || v.Writer.Certainty != trace.Certain {
		h.unlink(v.Object.String())
		return
	}
	before, c := v.Object.At(v.Prev), h.chains[v.Object.String()]
	switch {
	case v.Type == "ADDED" && c == nil:
		h.link(v.Object.String(), v.Object.String(), v, trace.Likely, false, r.T, r.Seq)
		return
	case before == nil && c != nil && v.Type != "MODIFIED":
		before = c.wrote // an object of this name was deleted before, or this is its end
	}
	if before == nil || before.Request == nil || before.Request.Actor.Who != r.Actor.Who || h.disturbed(before, r) {
		h.unlink(v.Object.String())
		return
	}
	certainty, stacked := trace.Certain, r.OnOwn()
	delivered := before.Delivered(h.m, r.Actor.Who)
	switch {
	case len(delivered) == 0 && !stacked:
		return
	case len(delivered) == 0, !stacked, r.Began-delivered[0].T > hotSoon:
		certainty = trace.Likely // a timer can have led to it as well
	}
	h.link(v.Object.String(), v.Object.String(), v, certainty, stacked, r.T, r.Seq)
}

// disturbed reports whether anything of the key that the actor did not write was delivered to it between two writes.
func (h *hotLoops) disturbed(before *model.Version, r *model.Request) bool {
	foreign := func(o *model.Object) bool {
		for _, d := range slices.Backward(o.Deliveries) {
			if d.Earliest() > r.Began {
				continue
			}
			if d.T < before.T {
				return false
			}
			v := o.At(d.RV)
			if h.m.Actor(d.Actor).Who == r.Actor.Who && (v == nil || v.Request == nil || v.Request.Actor.Who != r.Actor.Who) {
				return true
			}
		}
		return false
	}
	return foreign(before.Object) || slices.ContainsFunc(h.m.Owned(before.Object), foreign)
}

// link adds a link, unless the write created or deleted an object, or changed the spec of one, and the write before did not do so to the same
// object, or to other fields: then the controller is getting somewhere, unless it makes one object after the other without an end.
func (h *hotLoops) link(key, subject string, wrote *model.Version, certainty trace.Certainty, stacked bool, t, seq int64) {
	c := h.chains[key]
	if c == nil {
		c = &chain{object: subject}
		h.chains[key] = c
	}
	fields, before := pathsOf(wrote), wrote.Object.At(wrote.Prev)
	if wrote.Type != "MODIFIED" {
		fields = "created or deleted" // unlike a write of which no field is known
	}
	changed, progress := wrote.Object.String()+" "+fields, false
	if wrote.Type != "MODIFIED" || before != nil && before.Generation != wrote.Generation {
		progress = changed != c.changed || wrote.Type == "MODIFIED" && fields == ""
	}
	switch {
	case !progress || wrote.Type != "ADDED":
		c.made = 0
	case c.made > 0 && c.wrote.Object.Resource() != wrote.Object.Resource():
		c.made = 1
	default:
		c.made++
	}
	c.wrote, c.changed = wrote, changed
	if progress && c.made <= hotMade {
		if h.unlink(key); !c.shown { // the next one is compared with it
			h.chains[key] = &chain{object: subject, wrote: wrote, changed: changed, made: c.made, newest: c.newest}
		}
		return
	} else if progress {
		certainty = trace.Likely // an object may have that many
	}
	if build := h.m.BuildAt(t); build != c.build {
		c.build, c.run = build, 0
	}
	c.run++
	c.add(t, seq)
	if c.stacked = stacked; certainty != trace.Certain {
		c.weak.add(t, seq)
	}
	c.weak.cut(t - hotWindow)
	if c.cut(t - hotWindow); c.n() >= hotLinks && (c.run >= hotLinks || c.shown && c.shownIn == c.build) {
		c.shown, c.shownIn = true, c.build
		h.show(c)
	}
}

// unlink ends a chain, unless it was a loop: that may be disturbed, and goes on.
func (h *hotLoops) unlink(key string) {
	if c := h.chains[key]; c != nil {
		if c.run = 0; !c.shown {
			delete(h.chains, key)
		}
	}
}

func pathsOf(v *model.Version) string {
	var all []string
	for _, c := range paths(v.Version) {
		all = append(all, c.Path)
	}
	return strings.Join(all, ",")
}

func (h *hotLoops) show(c *chain) {
	r := c.wrote.Request
	certainty := trace.Certain
	how := "by"
	switch {
	case c.weak.n() > 0:
		certainty, how = trace.Likely, "by"
	case c.stacked:
		how = "on top of"
	}
	message := fmt.Sprintf("hot loop: %s is reconciled %s its own %s, %s", c.object, how, writeOf(c), perSecond(c.rate()))
	if certainty == trace.Likely {
		message = strings.Replace(message, "is reconciled", "is probably reconciled", 1)
	}
	if !h.IsRecorded(r.Actor.Class) {
		message = fmt.Sprintf("hot loop: %s is written %s its own %s, %s", c.object, how, writeOf(c), strings.Replace(perSecond(c.rate()), "/", " writes/", 1))
		if certainty == trace.Likely {
			message = strings.Replace(message, "is written by", "is written again, probably because of", 1)
		}
	}
	fix := ""
	if c.made > hotMade {
		fix = "look for what exists before making one more, or give it a name that follows from its owner's: each generated name is a new object"
	} else if c.wrote.Type != "MODIFIED" {
		fix = "do not delete and create again what has not changed: compare it, and update it where that is allowed"
	} else if changes := paths(c.wrote.Version); len(changes) > 0 {
		i := takenBack(c.wrote, changes)
		message += "; " + changed(changes[max(i, 0)])
		if i >= 0 {
			message += ", and back"
			fix = "write one value: if two controllers of the program write the field in turns, let one decide, or give each a field or a condition of its own; if it is one, sort what the value is made of"
		}
		if len(changes) > 1 {
			message += fmt.Sprintf(" and %s", text.Count(len(changes)-1, "more field", "more fields"))
		}
	}
	message += fmt.Sprintf(" (%s by %s, %s)", r.Method(), r.Actor.Name, times(max(c.total, c.made)))
	h.report(trace.Finding{
		Subject: c.object, Since: c.began, Message: message, Certainty: certainty, Evidence: evidence(append(c.evidence(), r.Seq, c.wrote.Seq)...), Fix: fix,
	}, c.last())
}

// takenBack is the index of a change by which a version has a value again that the version before it replaced; -1 without one.
func takenBack(v *model.Version, changes []trace.Change) int {
	before := v.Object.At(v.Prev)
	if before == nil {
		return -1
	}
	return slices.IndexFunc(changes, func(c trace.Change) bool {
		return !c.Withheld() && slices.ContainsFunc(before.Changes, func(b trace.Change) bool {
			return b.Path == c.Path && bytes.Equal(b.Old, c.New) && bytes.Equal(b.New, c.Old)
		})
	})
}

// writeOf names what is written: "status write", "annotation write", "deletion and creation" or "write".
func writeOf(c *chain) string {
	changes := paths(c.wrote.Version)
	all := func(prefix string) bool {
		return len(changes) > 0 && !slices.ContainsFunc(changes, func(c trace.Change) bool { return !strings.HasPrefix(c.Path, prefix) })
	}
	what := "write"
	switch {
	case c.made > hotMade:
		what = "creation"
	case c.wrote.Type != "MODIFIED":
		what = "deletion and creation"
	case c.wrote.Request.Subresource == "status", all("status"):
		what = "status write"
	case all("metadata.annotations"):
		what = "annotation write"
	case all("spec"):
		what = "spec write"
	}
	if o := c.wrote.Object.String(); o != c.object {
		what += " of " + o
	}
	return what
}

// ended reports whether a chain that is quiet has ended: the controller goes on with something else. On a busy machine a loop can stand
// still, as all of the machine does.
func (h *hotLoops) ended(c *chain, now int64) bool {
	if r := c.newest; r != nil && r.Ended == 0 && h.m.BuildAt(r.Began) == h.m.BuildAt(now) {
		return now-c.last() > hotSilent && h.alive(c.last()) >= int(hotSilent/second)
	}
	return now-c.last() > hotSilent || h.alive(c.last()) >= int(hotQuiet/second)
}

func (h *hotLoops) tick(now int64) {
	for key, c := range h.chains {
		if c.n() == 0 && now-c.wrote.T > hotQuiet || c.n() > 0 && now-c.last() > hotQuiet && h.ended(c, now) {
			if delete(h.chains, key); c.shown {
				h.over(c.object)
			}
		}
	}
}

// over resolves the finding of an object, unless another controller of the program goes on with it.
func (h *hotLoops) over(object string) {
	for _, c := range h.chains {
		if c.object == object && c.shown {
			return
		}
	}
	h.resolve(object)
}
