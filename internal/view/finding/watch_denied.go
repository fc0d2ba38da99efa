// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

var watchDenied = &Type{
	Name:  "watch-denied",
	Means: "the controller cannot list or watch a resource: its cache is never synced, and mostly nothing is reconciled until it is",
	Fix:   "grant list and watch, or install the CRD",
	needs: []trace.Kind{trace.KindRequest},
	install: func(b base) {
		d := &denied{base: b, of: map[watching]*refusals{}, wrote: map[*model.Who]bool{}}
		b.onRequest = append(b.onRequest, d.request)
		b.onWatch = append(b.onWatch, d.watch)
		b.onLog = append(b.onLog, d.log)
		b.onTick = append(b.onTick, d.tick)
	},
}

const (
	deniedQuiet = 120 * second // a reflector tries again at least each minute
	deniedLeast = 2            // one refusal can be that of a List that asks what is allowed
)

type denied struct {
	base

	of    map[watching]*refusals
	wrote map[*model.Who]bool
}

type watching struct {
	who       *model.Who
	resource  string
	namespace string
}

func (w watching) subject() string { return w.who.Name + ", " + w.what() }

func (w watching) what() string {
	if w.namespace != "" {
		return w.resource + " in " + w.namespace
	}
	return w.resource
}

type refusals struct {
	window

	tries  window // without the list that an informer sends at once if its watch is refused
	verb   string // of the newest
	synced bool   // before
}

func (d *denied) request(r *model.Request) {
	if !r.Actor.Who.Own() {
		return
	}
	if r.Writes() && r.OK() && !model.ByDesign(r.Resource) {
		d.wrote[r.Actor.Who] = true
	}
	if r.Verb != "list" && r.Verb != "watch" || r.Name != "" {
		return
	}
	k := watching{r.Actor.Who, model.GroupResource(r.Resource), r.Namespace}
	if r.OK() {
		d.found(r)
		if r.Verb == "watch" || d.of[k] != nil && d.of[k].n() > 0 {
			d.synced(k)
		}
		return
	}
	if r.Code != 401 && r.Code != 403 && r.Code != 404 {
		return
	}
	w := d.of[k]
	if w == nil {
		w = &refusals{}
		d.of[k] = w
	}
	if r.Verb != "list" || w.verb != "watch" || r.Began-w.last() > hotSoon {
		w.tries.add(r.T, r.Seq)
	}
	w.verb = r.Verb
	w.add(r.T, r.Seq)
	for _, of := range []*window{&w.window, &w.tries} {
		if of.n() > 10 {
			of.marks = of.marks[1:]
		}
	}
	if w.total >= deniedLeast {
		d.show(r, k, w)
	}
}

// noKind is the line of controller-runtime about a kind that the API server does not have. It asks for no resource of it then, only for those that
// there are, each 10 seconds, and ends the program after two minutes.
const noKind = "if kind is a CRD, it should be installed before calling Start"

func (d *denied) log(b *trace.Log, r trace.Record) {
	kind, ok := b.Attrs["kind"].(string)
	if !ok || kind == "" || b.Message != noKind {
		return
	}
	k := watching{d.m.Actor(b.Actor).Who, kind, ""}
	w := d.of[k]
	if w == nil {
		w = &refusals{}
		d.of[k] = w
	}
	if w.add(r.T, r.Seq); w.n() > 10 {
		w.marks = w.marks[1:]
	}
	if w.total >= deniedLeast {
		d.report(trace.Finding{
			Subject: k.subject(), Since: w.began, Certainty: trace.Certain, Evidence: w.evidence(),
			Message: fmt.Sprintf("%s is not watched: the API server does not have the kind, and a controller that watches it reconciles nothing; %s asked %s", kind, k.who.Name, times(w.total)),
			Fix:     "install the CRD of " + kind + ", or do not watch it",
		}, r.T)
	}
}

// found ends what is known of a kind that did not exist.
func (d *denied) found(r *model.Request) {
	k := watching{r.Actor.Who, strings.TrimSuffix(r.Resource.Kind+"."+r.Resource.Group, "."), ""}
	if d.of[k] != nil {
		delete(d.of, k)
		d.resolve(k.subject())
	}
}

func (d *denied) show(r *model.Request, k watching, w *refusals) {
	message := fmt.Sprintf("%s were never synced: %d", k.what(), r.Code)
	switch {
	case w.synced:
		message = fmt.Sprintf("%s are no longer synced: %d", k.what(), r.Code)
	case isPart(d.Engine):
		message = fmt.Sprintf("%s are not synced: %d", k.what(), r.Code)
	}
	switch {
	case w.synced:
	case d.IsRecorded(k.who.Class) && len(d.m.Keys()) == 0:
		message += ", nothing is reconciled"
	case !d.wrote[k.who]:
		message += ", nothing is reconciled as far as its requests show"
	default:
		message += ", changes of them are not seen"
	}
	message += fmt.Sprintf("; %s asked %s", k.who.Name, times(w.tries.total))
	if tries := w.tries; tries.n() > 1 && tries.last() > tries.first() {
		message += ", every " + model.Duration((tries.last()-tries.first())/int64(tries.n()-1))
	}
	fix := "grant it to the controller's role: " + marker(r.Resource, "", "get", "list", "watch")
	if r.Code == 404 {
		fix = "install the CRD of " + k.resource + ", or do not watch it"
	}
	d.report(trace.Finding{Subject: k.subject(), Since: w.began, Message: message, Certainty: trace.Certain, Evidence: w.evidence(), Fix: fix}, r.T)
}

func (d *denied) watch(w *model.Watch, b *trace.Watch, _ trace.Record) {
	if w.Actor.Who.Own() && (b.State == "open" || b.State == "synced") {
		d.synced(watching{w.Actor.Who, model.GroupResource(w.Resource), b.Namespace})
	}
}

func (d *denied) synced(k watching) {
	if d.of[k] != nil && d.of[k].n() > 0 {
		d.resolve(k.subject())
	}
	d.of[k] = &refusals{synced: true}
}

func (d *denied) tick(now int64) {
	for k, w := range d.of {
		if w.n() > 0 && now-w.last() > deniedQuiet {
			delete(d.of, k)
			d.resolve(k.subject())
		}
	}
}
