// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// treeRow is an object in the tree of owners.
type treeRow struct {
	ID       trace.ObjectID `json:"id"`
	Depth    int            `json:"depth"`
	Name     string         `json:"name"`           // without the namespace, if that is the parent's
	Full     string         `json:"full,omitempty"` // with it
	Kind     string         `json:"kind"`
	State    string         `json:"state"` // "37/s", "error", "deleting", "idle"
	Problem  string         `json:"problem,omitempty"`
	Children int            `json:"children"`
	Open     bool           `json:"open"`
	Red      string         `json:"red,omitempty"`  // why its owner reference is invalid
	More     int            `json:"more,omitempty"` // the row is for so many quiet objects
}

// activity is what a key did lately.
type activity struct {
	rate   float64
	failed bool
}

// fewObjects is how many objects are shown with their children at first.
const fewObjects = 200

// tree answers with the objects by owner: roots are objects of kinds that the project's own actors watch. Those with
// findings come first.
func (s *session) tree(q query) any {
	at, words, onlyBad := q.number("at"), q.text, q.is("bad")
	toggled := map[trace.ObjectID]bool{}
	for _, id := range strings.Split(q.Get("toggled"), ",") {
		n, _ := strconv.Atoi(id)
		toggled[trace.ObjectID(n)] = true
	}
	t := forest{s: s, at: at, activity: s.activity(), problems: s.problems(), interest: map[*trace.Resource]bool{}, bad: map[trace.ObjectID]bool{}}
	if t.unseen = !s.isReported(); t.unseen {
		t.activity = nil // of what failed it is not known whether it succeeded since
	}
	var roots []*model.Object
	for o := range s.model.Objects() {
		if !t.exists(o) {
			continue
		}
		t.count++
		if t.parent(o) == nil && (t.isOfInterest(o) || len(words) > 0 || t.problems[o.String()] != "") {
			roots = append(roots, o)
		}
	}
	for _, o := range roots {
		t.judge(o, 0)
	}
	slices.SortStableFunc(roots, t.compare)
	var all []treeNode
	quiet, fold := 0, !q.is("quiet") && len(words) == 0
	for _, o := range roots {
		if onlyBad && !t.bad[o.ID] || !t.matches(o, words, 0) {
			continue
		}
		if fold && !t.bad[o.ID] && (t.state(o) == "idle" || t.unseen && t.state(o) == "") {
			if quiet++; quiet > maxQuiet {
				continue
			}
		}
		all = t.flatten(all, o, 0, toggled)
	}
	if quiet > maxQuiet {
		all = append(all, treeNode{more: quiet - maxQuiet})
	}
	slices.Reverse(all) // page counts from the end
	return page(s, q, all, t.row)
}

// treeNode is a row before it is known to be seen.
type treeNode struct {
	o        *model.Object
	depth    int
	children int
	open     bool
	more     int
}

// forest is the tree while it is made.
type forest struct {
	s        *session
	at       int64 // T; 0 for now
	count    int
	activity map[string]activity
	problems map[string]string
	interest map[*trace.Resource]bool
	bad      map[trace.ObjectID]bool // it or a descendant has a problem
	unseen   bool                    // whether a key is idle is not recorded
}

// maxQuiet is how many objects are listed at first that do nothing and have no finding.
const maxQuiet = 20

const maxDepth = 16 // of owners, which may be a circle

func (t *forest) exists(o *model.Object) bool {
	if t.at == 0 {
		return !o.Deleted
	}
	return len(o.Versions) > 0 && o.Versions[0].T <= t.at && (!o.Deleted || o.Newest().T > t.at)
}

func (t *forest) isOfInterest(o *model.Object) bool {
	is, known := t.interest[o.Resource()]
	if !known {
		is = t.s.isOfInterest(o.Resource())
		t.interest[o.Resource()] = is
	}
	return is
}

// parent is the owner under which an object is shown: its controller, or else the first that is known.
func (t *forest) parent(o *model.Object) *model.Object {
	v := o.Newest()
	if v == nil {
		return nil
	}
	var first *model.Object
	for _, owner := range v.Owners {
		if p := t.s.model.ByUID(owner.UID); p != nil && p != o && t.exists(p) {
			if owner.Controller {
				return p
			}
			if first == nil {
				first = p
			}
		}
	}
	return first
}

func (t *forest) children(o *model.Object) (all []*model.Object) {
	for _, c := range t.s.model.Owned(o) {
		if t.exists(c) && t.parent(c) == o {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, t.compare)
	return all
}

// judge notes which objects have a problem below them.
func (t *forest) judge(o *model.Object, depth int) bool {
	bad := t.problems[o.String()] != "" || t.activity[o.Key()].failed && t.isRoot(o)
	if depth < maxDepth {
		for _, c := range t.s.model.Owned(o) {
			if t.exists(c) && t.parent(c) == o {
				bad = t.judge(c, depth+1) || bad
			}
		}
	}
	t.bad[o.ID] = bad
	return bad
}

func (t *forest) isRoot(o *model.Object) bool { return t.parent(o) == nil }

func (t *forest) compare(a, b *model.Object) int {
	if t.bad[a.ID] != t.bad[b.ID] {
		if t.bad[a.ID] {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Resource().Kind, b.Resource().Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

func (t *forest) matches(o *model.Object, words []string, depth int) bool {
	if hasWords(words, o.String()) {
		return true
	}
	if depth < maxDepth {
		for _, c := range t.s.model.Owned(o) {
			if t.exists(c) && t.matches(c, words, depth+1) {
				return true
			}
		}
	}
	return false
}

func (t *forest) flatten(all []treeNode, o *model.Object, depth int, toggled map[trace.ObjectID]bool) []treeNode {
	children := t.children(o)
	n := treeNode{o: o, depth: depth, children: len(children), open: (t.count <= fewObjects || t.bad[o.ID]) != toggled[o.ID]}
	all = append(all, n)
	if n.open && depth < maxDepth {
		for _, c := range children {
			all = t.flatten(all, c, depth+1, toggled)
		}
	}
	return all
}

func (t *forest) row(n treeNode) treeRow {
	if n.more > 0 {
		return treeRow{ID: -1, More: n.more}
	}
	row := treeRow{
		ID: n.o.ID, Depth: n.depth, Name: n.o.Key(), Kind: n.o.Kind(), Problem: t.problems[n.o.String()], Children: n.children,
		Open: n.open, State: t.state(n.o), Red: t.red(n.o),
	}
	if p := t.parent(n.o); n.depth > 0 && p != nil && p.Namespace == n.o.Namespace {
		row.Name, row.Full = n.o.Name, n.o.Key()
	}
	return row
}

func (t *forest) state(o *model.Object) string {
	v := o.Newest()
	a := t.activity[o.Key()]
	switch {
	case v != nil && v.Deleting != "":
		return "deleting"
	case t.unseen || !t.isOfInterest(o) || !t.isRoot(o):
		return ""
	case a.failed:
		return "error"
	case a.rate > 0:
		return strconv.FormatFloat(a.rate, 'g', 2, 64) + "/s"
	}
	return "idle"
}

// red is why an owner reference is invalid: the garbage collector will take the object.
func (t *forest) red(o *model.Object) string {
	v := o.Newest()
	if v == nil {
		return ""
	}
	for _, owner := range v.Owners {
		if p := t.s.model.ByUID(owner.UID); p != nil && p.Namespace != "" && p.Namespace != o.Namespace {
			return "its owner " + p.String() + " is in another namespace"
		}
	}
	return ""
}

// activity is what keys did in the last seconds, by key.
func (s *session) activity() map[string]activity {
	all, now := map[string]activity{}, s.now()
	seconds := float64(max(min(now, recent), int64(1e9))) / 1e9
	for _, k := range s.model.Keys() {
		reconciles := s.model.Reconciles(k)
		n := 0
		for n < len(reconciles) && reconciles[len(reconciles)-1-n].Began > now-recent {
			n++
		}
		last := reconciles[len(reconciles)-1]
		if last.Ended == 0 && len(reconciles) > 1 {
			last = reconciles[len(reconciles)-2]
		}
		a := all[k.Key]
		a.rate += float64(n) / seconds
		a.failed = a.failed || last.Failed()
		all[k.Key] = a
	}
	return all
}

// problems are the types of open findings by the object that they are about.
func (s *session) problems() map[string]string {
	all := map[string]string{}
	for _, f := range s.engine.Findings() {
		if f.Until != 0 {
			continue
		}
		for _, subject := range s.subjects(f) {
			if all[subject] == "" {
				all[subject] = f.Type
			}
		}
	}
	return all
}

// subjects are the parts of a finding's subject, of which one may be an object, as in "kubectl, Deployment default/x", and the objects of Events.
func (s *session) subjects(f trace.Finding) []string {
	all := strings.Split(f.Subject, ", ")
	for _, seq := range f.Evidence {
		r, _ := s.model.Record(seq)
		if e, ok := r.Body.(*trace.KubeEvent); ok {
			if o := s.model.Object(e.Object); o != nil {
				all = append(all, o.String())
			}
		}
	}
	return all
}
