// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// rights are what was asked for, denied and granted, and what admission and hooks did.
type rights struct {
	Asked    []askedRow `json:"asked"` // denied ones first
	Granted  []grantRow `json:"granted"`
	Recorded bool       `json:"recorded"` // grants were recorded
	Calls    []callRow  `json:"calls"`
	Unlinked int        `json:"unlinked,omitempty"` // other calls for requests that are not recorded: none of them failed
	Seq      int64      `json:"seq"`

	// How many rows there are beyond maxRightsRows.
	AskedMore   int `json:"askedMore,omitempty"`
	GrantedMore int `json:"grantedMore,omitempty"`
	CallsMore   int `json:"callsMore,omitempty"`
}

type askedRow struct {
	Actor     string      `json:"actor"`
	Class     trace.Class `json:"class"`
	Verb      string      `json:"verb"`
	Resource  string      `json:"resource"`
	Namespace string      `json:"ns,omitempty"`
	N         int         `json:"n"`
	Denied    int         `json:"denied"`
	Last      int64       `json:"last"`
	Seq       int64       `json:"seq"`
	Because   string      `json:"because,omitempty"`
	Marker    string      `json:"marker,omitempty"` // that would grant it
}

type grantRow struct {
	Role string `json:"role"`
	Rule string `json:"rule"`
	Used int    `json:"used"`
	Seq  int64  `json:"seq"` // of a request that used it, or of an open watch
}

type callRow struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Op         string `json:"op"`
	N          int    `json:"n"`
	P50        int64  `json:"p50"`
	P99        int64  `json:"p99"`
	Patches    int    `json:"patches"`
	Denied     int    `json:"denied"`
	Errors     int    `json:"errors"`
	FailedOpen int    `json:"failedOpen"`
	Last       int64  `json:"last"`
	Seq        int64  `json:"seq"`
	Unlinked   bool   `json:"unlinked,omitempty"` // for requests that are not recorded: whose these were is not known
}

// maxRightsRows is how many rows a table has; the page counts the others.
const maxRightsRows = 300

// rights answers with what was asked, granted and called in a range.
func (s *session) rights(q query) any {
	out := &rights{Granted: []grantRow{}, Seq: s.last}
	out.Asked, out.AskedMore = firstRows(s.asked(q))
	calls, unlinked := s.calls(q)
	out.Calls, out.CallsMore = firstRows(calls)
	out.Unlinked = unlinked
	if s.granted != nil {
		out.Recorded = true
		out.Granted, out.GrantedMore = firstRows(s.grants())
	}
	return out
}

// firstRows returns the rows to show, and how many more there are.
func firstRows[R any](all []R) (shown []R, more int) {
	n := min(len(all), maxRightsRows)
	return all[:n], len(all) - n
}

// asking is what was asked for by one actor, with one outcome.
type asking struct{ actor, verb, resource, ns, state string }

func (s *session) asked(q query) []askedRow {
	own := q.is("own")
	by := *scanned(s, q.filter("asked"), func() map[asking]*askedRow { return map[asking]*askedRow{} }, s.model.Requests, seqOf, func(by *map[asking]*askedRow, r *model.Request) {
		if q.inTime(r.T) && (!own || r.Actor.Who.Own()) && r.Resource.Resource != "" {
			ask(*by, q.text, r)
		}
	})
	rows := make(map[asking]askedRow, len(by))
	for g, row := range by {
		rows[g] = *row
	}
	s.addWatches(rows, q)
	all := slices.AppendSeq(make([]askedRow, 0, len(rows)), maps.Values(rows)) // a list for the page, also without rows
	slices.SortFunc(all, func(a, b askedRow) int {
		return cmp.Or(cmp.Compare(min(b.Denied, 1), min(a.Denied, 1)), cmp.Compare(b.N, a.N), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Actor, b.Actor), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Seq, b.Seq))
	})
	return all
}

// addWatches adds the watches that are open: their requests are recorded when they end.
func (s *session) addWatches(rows map[asking]askedRow, q query) {
	for _, w := range s.model.Watches() {
		g := asking{actor: w.Actor.Name, verb: "watch", resource: model.GroupResource(w.Resource), ns: w.Namespace}
		if w.Ended != 0 || !q.inTime(w.Opened) || q.is("own") && !w.Actor.Who.Own() || !hasWords(q.text, g.actor, g.verb, g.resource, g.ns) {
			continue
		}
		row := rows[g]
		row.Actor, row.Class, row.Verb, row.Resource, row.Namespace = g.actor, w.Actor.Class, g.verb, g.resource, g.ns
		row.N++
		if w.Opened >= row.Last {
			row.Last, row.Seq = w.Opened, w.Seq
		}
		rows[g] = row
	}
}

func ask(by map[asking]*askedRow, words []string, r *model.Request) {
	denied := r.Forbidden()
	g := asking{actor: r.Actor.Name, verb: r.Verb, resource: rbacResource(r), ns: r.Namespace}
	if denied {
		g.state = "denied"
	}
	row := by[g]
	if row == nil {
		if !hasWords(words, g.actor, g.verb, g.resource, g.ns, g.state) {
			return
		}
		row = &askedRow{Actor: g.actor, Class: r.Actor.Class, Verb: rbacVerb(r.Verb), Resource: g.resource, Namespace: r.Namespace}
		by[g] = row
		if denied {
			row.Marker = marker(r)
		}
	}
	row.N++
	row.Last, row.Seq = r.T, r.Seq
	row.Because = r.Because
	if denied {
		row.Denied++
		row.Because = r.Message
	}
}

// rbacResource is the resource with its subresource and its group, as "deployments/status.apps".
func rbacResource(r *model.Request) string {
	return model.GroupResource(&trace.Resource{Group: r.Resource.Group, Resource: withSubresource(r)})
}

func withSubresource(r *model.Request) string {
	if r.Subresource == "" {
		return r.Resource.Resource
	}
	return r.Resource.Resource + "/" + r.Subresource
}

// rbacVerb is the verb that a role has to have.
func rbacVerb(verb string) string {
	if verb == "apply" {
		return "patch"
	}
	return verb
}

func marker(r *model.Request) string {
	return "//+kubebuilder:rbac:groups=" + cmp.Or(r.Resource.Group, `""`) + ",resources=" + withSubresource(r) + ",verbs=" + rbacVerb(r.Verb)
}

// usedFor is what requests of the user of the grants have in common; uses is how many these are.
type usedFor struct{ verb, group, resource, namespace, name string }

type uses struct {
	n   int
	seq int64 // of the newest
}

// use counts a request or an open watch.
func use(all map[usedFor]*uses, u usedFor, seq int64) {
	if all[u] == nil {
		all[u] = &uses{}
	}
	all[u].n++
	all[u].seq = seq
}

// grants are the rules of the project's own roles, those that no request in the recording used first.
func (s *session) grants() []grantRow {
	granted, names := s.granted, map[string]bool{} // of other objects names do not matter
	for _, g := range granted.Grants {
		for _, name := range g.Names {
			names[name] = true
		}
	}
	question := fmt.Sprintf("grants of %d", s.grantedSeq)
	used := *scanned(s, question, func() map[usedFor]*uses { return map[usedFor]*uses{} }, s.model.Requests, seqOf, func(used *map[usedFor]*uses, r *model.Request) {
		if r.Actor.User != granted.User || r.Forbidden() {
			return
		}
		u := usedFor{verb: rbacVerb(r.Verb), group: r.Resource.Group, resource: withSubresource(r), namespace: r.Namespace}
		if names[r.Name] {
			u.name = r.Name
		}
		use(*used, u, r.Seq)
	})
	watches := map[usedFor]*uses{} // open ones, whose requests are recorded when they end
	for _, w := range s.model.Watches() {
		if w.Actor.User != granted.User || w.Ended != 0 {
			continue
		}
		use(watches, usedFor{verb: "watch", group: w.Resource.Group, resource: w.Resource.Resource, namespace: w.Namespace}, w.Seq)
	}
	all := []grantRow{}
	for _, g := range granted.Grants {
		for _, verb := range g.Verbs {
			for _, resource := range g.Resources {
				all = append(all, grantRowOf(g, verb, resource, used, watches))
			}
		}
	}
	slices.SortStableFunc(all, func(a, b grantRow) int { return cmp.Compare(min(a.Used, 1), min(b.Used, 1)) })
	return all
}

// grantRowOf is a verb and a resource of a grant, and how often they were used for anything.
func grantRowOf(g trace.Grant, verb, resource string, all ...map[usedFor]*uses) grantRow {
	row := grantRow{Role: g.Role, Rule: verb + " " + resource}
	if len(g.Groups) > 0 && strings.Join(g.Groups, "") != "" {
		row.Rule += " in " + groupNames(g.Groups)
	}
	if g.Namespace != "" {
		row.Rule += ", namespace " + g.Namespace
	}
	for _, used := range all {
		for u, of := range used {
			if covers(g, verb, resource, u) {
				row.Used += of.n
				row.Seq = max(row.Seq, of.seq)
			}
		}
	}
	return row
}

// groupNames has a name for the core group, too.
func groupNames(groups []string) string {
	names := slices.Clone(groups)
	for i, name := range names {
		names[i] = cmp.Or(name, "the core group")
	}
	return strings.Join(names, ", ")
}

func covers(g trace.Grant, verb, resource string, u usedFor) bool {
	if resource != "*" && resource != u.resource || g.Namespace != "" && g.Namespace != u.namespace || len(g.Names) > 0 && !slices.Contains(g.Names, u.name) {
		return false
	}
	return slices.ContainsFunc(g.Groups, func(group string) bool {
		verbs, groups := trace.NeededFor(verb, group, resource)
		return (verb == "*" || slices.Contains(verbs, u.verb)) && (group == "*" || slices.Contains(groups, u.group))
	})
}

// calling is what calls have in common, and callSum what came of them.
type (
	calling struct{ kind, name, op string }

	callSum struct {
		callRow
		took histogram
	}
)

// called is what a scan has found of calls. A call is recorded before the request that it was made for.
type called struct {
	by   map[calling]*callSum
	wait []trace.Record // calls whose requests were not recorded so far
}

// calls are the calls of webhooks, conversions, policies, plugins and of the built-in loop's hook, by name; and how many
// there are of which it is not known whose request they were made for, if that is asked. Of these, only calls that failed are rows.
func (s *session) calls(q query) ([]callRow, int) {
	own := q.is("own")
	found := scanned(s, q.filter("calls"), func() called { return called{by: map[calling]*callSum{}} }, s.model.Held, func(r trace.Record) int64 { return r.Seq },
		func(found *called, r trace.Record) {
			switch b, admission := r.Body.(*trace.Admission); {
			case !q.inTime(r.T):
			case own && admission && b.Type != "conversion": // of a conversion, the request is never recorded
				found.wait = append(found.wait, r)
			default:
				countCall(found.by, q.text, r)
			}
		})
	found.wait = slices.DeleteFunc(found.wait, func(r trace.Record) bool {
		request := s.model.Request(r.Body.(*trace.Admission).Request)
		if request != nil && request.Actor.Who.Own() {
			countCall(found.by, q.text, r)
		}
		return request != nil
	})
	failed, unlinked := map[calling]*callSum{}, 0
	for _, r := range found.wait {
		if b := r.Body.(*trace.Admission); b.Err != "" || b.FailedOpen {
			countCall(failed, q.text, r)
		} else {
			unlinked++
		}
	}
	all := make([]callRow, 0, len(found.by)+len(failed))
	for _, by := range []map[calling]*callSum{found.by, failed} {
		for _, c := range by {
			row := c.callRow
			row.P50, row.P99 = c.took.quantile(.5), c.took.quantile(.99)
			row.Unlinked = failed[calling{c.Type, c.Name, c.Op}] == c || own && c.Type == "conversion"
			all = append(all, row)
		}
	}
	slices.SortFunc(all, func(a, b callRow) int {
		return cmp.Or(cmp.Compare(b.Errors+b.FailedOpen, a.Errors+a.FailedOpen), cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Seq, b.Seq))
	})
	return all, unlinked
}

func countCall(by map[calling]*callSum, words []string, r trace.Record) {
	of := func(g calling, began int64) *callSum {
		c := by[g]
		if c == nil {
			c = &callSum{callRow: callRow{Type: g.kind, Name: g.name, Op: g.op}}
			if !hasWords(words, g.kind, g.name, g.op) {
				return c // counted nowhere
			}
			by[g] = c
		}
		c.N++
		c.Last, c.Seq = r.T, r.Seq
		c.took.add(r.T - began)
		return c
	}
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	switch b := r.Body.(type) {
	case *trace.Admission:
		c := of(calling{b.Type, b.Name, b.Op}, b.Began)
		count(&c.Patches, b.Patch != nil)
		count(&c.Errors, b.Err != "")
		count(&c.FailedOpen, b.FailedOpen)
		count(&c.Denied, !b.Allowed && b.Err == "" && !b.Canceled && b.Type != "conversion")
	case *trace.Hook:
		count(&of(calling{"hook", b.Name, b.Op}, b.Began).Errors, b.Err != "")
	}
}
