// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
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
	Seq      int64      `json:"seq"`
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
	Seq  int64  `json:"seq"` // of a request that used it
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
}

const maxRightsRows = 300

// rights answers with what was asked, granted and called in a range.
func (s *session) rights(q query) any {
	out := &rights{Asked: s.asked(q), Granted: []grantRow{}, Calls: s.calls(q), Seq: s.last}
	if s.granted != nil {
		out.Recorded = true
		out.Granted = s.grants()
	}
	return out
}

func (s *session) asked(q query) []askedRow {
	type group struct{ actor, verb, resource, ns, state string }
	by, words, own := map[group]*askedRow{}, q.words(), q.is("own")
	for _, r := range s.model.Requests() {
		if !q.inTime(r.T) || own && !r.Actor.Who.Own() || r.Resource.Resource == "" {
			continue
		}
		resource := model.GroupResource(r.Resource)
		if r.Subresource != "" {
			resource = strings.Replace(resource, r.Resource.Resource, r.Resource.Resource+"/"+r.Subresource, 1)
		}
		denied := r.Code == 403 && r.Decision != "allow"
		g := group{actor: r.Actor.Name, verb: r.Verb, resource: resource, ns: r.Namespace}
		if denied {
			g.state = "denied"
		}
		if !hasWords(words, g.actor, g.verb, g.resource, g.ns, g.state) {
			continue
		}
		row := by[g]
		if row == nil {
			row = &askedRow{Actor: g.actor, Class: r.Actor.Class, Verb: rbacVerb(r.Verb), Resource: resource, Namespace: r.Namespace}
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
	all := make([]askedRow, 0, len(by))
	for _, row := range by {
		all = append(all, *row)
	}
	slices.SortFunc(all, func(a, b askedRow) int {
		return cmp.Or(cmp.Compare(min(b.Denied, 1), min(a.Denied, 1)), cmp.Compare(b.N, a.N), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Verb, b.Verb), cmp.Compare(a.Actor, b.Actor), cmp.Compare(a.Namespace, b.Namespace))
	})
	return all[:min(len(all), maxRightsRows)]
}

// rbacVerb is the verb that a role has to have.
func rbacVerb(verb string) string {
	if verb == "apply" {
		return "patch"
	}
	return verb
}

func marker(r *model.Request) string {
	group := r.Resource.Group
	if group == "" {
		group = `""`
	}
	resource := r.Resource.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	return "//+kubebuilder:rbac:groups=" + group + ",resources=" + resource + ",verbs=" + rbacVerb(r.Verb)
}

// grants are the rules of the project's own roles, those that no request in the recording used first.
func (s *session) grants() []grantRow {
	all := []grantRow{}
	for _, g := range s.granted.Grants {
		for _, verb := range g.Verbs {
			for _, resource := range g.Resources {
				row := grantRow{Role: g.Role, Rule: verb + " " + resource}
				if len(g.Groups) > 0 && strings.Join(g.Groups, "") != "" {
					row.Rule += " in " + strings.Join(g.Groups, ", ")
				}
				if g.Namespace != "" {
					row.Rule += ", namespace " + g.Namespace
				}
				for _, r := range s.model.Requests() {
					if r.Actor.User == s.granted.User && covers(g, verb, resource, r) {
						row.Used++
						row.Seq = r.Seq
					}
				}
				all = append(all, row)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b grantRow) int { return cmp.Compare(min(a.Used, 1), min(b.Used, 1)) })
	return all[:min(len(all), maxRightsRows)]
}

func covers(g trace.Grant, verb, resource string, r *model.Request) bool {
	of := r.Resource.Resource
	if r.Subresource != "" {
		of += "/" + r.Subresource
	}
	return (verb == "*" || verb == rbacVerb(r.Verb)) && (resource == "*" || resource == of) && (g.Namespace == "" || g.Namespace == r.Namespace) &&
		(slices.Contains(g.Groups, "*") || slices.Contains(g.Groups, r.Resource.Group)) && (len(g.Names) == 0 || slices.Contains(g.Names, r.Name))
}

// calls are the calls of webhooks, conversions, policies, plugins and of the built-in loop's hook, by name.
func (s *session) calls(q query) []callRow {
	type group struct{ kind, name, op string }
	type sum struct {
		callRow
		took histogram
	}
	by, words := map[group]*sum{}, q.words()
	of := func(g group, r trace.Record, began int64) *sum {
		c := by[g]
		if c == nil {
			c = &sum{callRow: callRow{Type: g.kind, Name: g.name, Op: g.op}}
			by[g] = c
		}
		c.N++
		c.Last, c.Seq = r.T, r.Seq
		c.took.add(r.T - began)
		return c
	}
	to := q.number("to")
	if to == 0 {
		to = s.model.Now()
	}
	for r := range s.model.Records(q.number("from"), to) {
		switch b := r.Body.(type) {
		case *trace.Admission:
			if !hasWords(words, b.Type, b.Name, b.Op) {
				continue
			}
			c := of(group{b.Type, b.Name, b.Op}, r, b.Began)
			count := func(n *int, is bool) {
				if is {
					*n++
				}
			}
			count(&c.Patches, b.Patch != nil)
			count(&c.Errors, b.Err != "")
			count(&c.FailedOpen, b.FailedOpen)
			count(&c.Denied, !b.Allowed && b.Err == "" && b.Type != "conversion")
		case *trace.Hook:
			if hasWords(words, "hook", b.Name, b.Op) {
				c := of(group{"hook", b.Name, b.Op}, r, b.Began)
				if b.Err != "" {
					c.Errors++
				}
			}
		}
	}
	all := make([]callRow, 0, len(by))
	for _, c := range by {
		c.P50, c.P99 = c.took.quantile(.5), c.took.quantile(.99)
		all = append(all, c.callRow)
	}
	slices.SortFunc(all, func(a, b callRow) int {
		return cmp.Or(cmp.Compare(b.Errors+b.FailedOpen, a.Errors+a.FailedOpen), cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Op, b.Op))
	})
	return all[:min(len(all), maxRightsRows)]
}
