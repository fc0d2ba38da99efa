// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var childDrift = &Type{
	Name:  "child-drift",
	Means: "an object is updated again and again, and each time the API server stores other values than were sent, as defaults do",
	Fix:   "do not compare what is stored with what the controller would send: set the fields that have defaults, compare only the fields that the controller sets, or use server-side apply",
	needs: []trace.Kind{trace.KindRequest},
	install: func(b base) {
		d := &drifts{base: b, of: map[drifting]*drift{}}
		b.onRequest = append(b.onRequest, d.request)
		b.onTick = append(b.onTick, d.tick)
	},
}

const (
	driftWrites = 3
	driftQuiet  = 30 * second
)

type drifts struct {
	base

	of map[drifting]*drift
}

type drifting struct {
	who    *model.Who
	object *model.Object
}

type drift struct {
	window

	noops  int
	from   int64 // generation before the first
	to     int64
	wanted int64 // generation of the owner: a new one is a reason to update
}

func (d *drifts) request(r *model.Request) {
	if !r.Actor.Who.Own() || r.Object == nil || r.Verb != "update" || !r.OK() || r.DryRun {
		return
	}
	k := drifting{r.Actor.Who, r.Object}
	if len(r.Drift) == 0 || d.answers(r) || isProgress(r) {
		d.end(k)
		return
	}
	wanted := d.wanted(r.Object)
	if w := d.of[k]; w != nil && w.wanted != wanted {
		d.end(k)
	}
	w := d.of[k]
	if w == nil {
		w = &drift{wanted: wanted}
		d.of[k] = w
		if r.Version != nil {
			if before := r.Object.At(r.Version.Prev); before != nil {
				w.from = before.Generation
			}
		}
	}
	w.add(r.T, r.Seq)
	if r.NoOp {
		w.noops++
	}
	if r.Version != nil {
		w.to = r.Version.Generation
	}
	if w.total >= driftWrites {
		d.show(r, w)
	}
}

// answers reports whether an update follows one of the spec by another client: then there is a reason for it.
func (d *drifts) answers(r *model.Request) bool {
	for _, v := range slices.Backward(r.Object.Versions) {
		if v.RV > r.RVOut || v.RV == r.RVOut && !r.NoOp {
			continue
		}
		if v.Request == nil || v.Request.Actor.Who == r.Actor.Who {
			return false
		}
		if slices.ContainsFunc(v.Changes, func(c trace.Change) bool { return strings.HasPrefix(c.Path, "spec") }) {
			return true
		}
	}
	return false
}

// isProgress reports whether an update of a status changed other fields than those that were stored otherwise than sent: then these are not why it was
// made. Other updates may note that they were made, as in an annotation of the Pod template. A path can be that of the values below it, and a part of a
// name where one is not recorded.
func isProgress(r *model.Request) bool {
	if r.Version == nil || r.Subresource != "status" {
		return false
	}
	return slices.ContainsFunc(r.Version.Changes, func(c trace.Change) bool {
		return !slices.ContainsFunc(r.Drift, func(drift trace.Change) bool {
			return strings.HasPrefix(c.Path, drift.Path) || strings.HasPrefix(drift.Path, c.Path)
		})
	})
}

// wanted is the generation of an object's controller owner, or 0.
func (d *drifts) wanted(o *model.Object) int64 {
	if ref := o.Controller(); ref != nil {
		if owner := d.m.ByUID(ref.UID); owner != nil && owner.Newest() != nil {
			return owner.Newest().Generation
		}
	}
	return 0
}

func (d *drifts) show(r *model.Request, w *drift) {
	generation := "generation unchanged"
	if w.from != 0 && w.to > w.from {
		generation = fmt.Sprintf("generation +%d", w.to-w.from)
	}
	if w.noops > 0 {
		generation += fmt.Sprintf(", %d changed nothing", w.noops)
	}
	d.report(trace.Finding{
		Subject: r.Object.String(), Since: w.began, Certainty: trace.Certain, Evidence: w.evidence(),
		Message: fmt.Sprintf("%s was updated %d times by %s, %s; %s", r.Object, w.total, r.Actor.Name, generation, drifted(r.Drift)),
	}, r.T)
}

const (
	driftValues = 3  // fields with what was sent and stored
	driftNames  = 12 // further ones by their names
)

// drifted is the fields that were stored otherwise than sent. All are named, since the one that the author compares may be any of them.
func drifted(all []trace.Change) string {
	var fields, names []string
	for i, c := range all {
		switch {
		case i >= driftValues:
			if name := lastStep(c.Path); !slices.Contains(names, name) {
				names = append(names, name)
			}
		case c.Withheld():
			fields = append(fields, c.Path+" is stored with another value than sent")
		default:
			sent, stored := differ(c.Old, c.New)
			fields = append(fields, fmt.Sprintf("%s: sent %s, stored %s", c.Path, sent, stored))
		}
	}
	if len(names) > 0 {
		more := ""
		if len(names) > driftNames {
			names, more = names[:driftNames], ", …"
		}
		fields = append(fields, fmt.Sprintf("and %d more: %s%s", len(all)-driftValues, strings.Join(names, ", "), more))
	}
	return strings.Join(fields, "; ")
}

// lastStep is the end of a path: policy of spec.policy, and ["a.b/c"] of metadata.annotations["a.b/c"].
func lastStep(path string) string {
	if i := strings.LastIndex(path, `["`); i >= 0 && strings.HasSuffix(path, `"]`) {
		return path[i:]
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}

func (d *drifts) tick(now int64) {
	for k, w := range d.of {
		if now-w.last() > driftQuiet {
			d.end(k)
		}
	}
}

func (d *drifts) end(k drifting) {
	if d.of[k] != nil {
		delete(d.of, k)
		d.resolve(k.object.String())
	}
}
