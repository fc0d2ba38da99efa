// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
)

// Request is a request that was answered.
type Request struct {
	*trace.Request

	Seq, T   int64
	Actor    *Actor
	Resource *trace.Resource
	Object   *Object  // nil if it is not known
	Version  *Version // that it made; nil if it made none, or that was not seen

	shared   bool // another request before it has its ID
	inferred *Reconcile
}

// Writes reports whether the request asks to change something that is stored.
func (r *Request) Writes() bool {
	switch r.Verb {
	case "create", "update", "patch", "apply", "delete", "deletecollection":
		return !r.DryRun
	}
	return false
}

// OK reports whether the API server did what was asked.
func (r *Request) OK() bool { return r.Code >= 200 && r.Code < 300 }

// Forbidden reports whether no role allows a request. Code 403 is also what admission answers, such as a webhook, a policy or a quota. Through
// a proxy the decision is not recorded: the API server's message about a role names the user.
func (r *Request) Forbidden() bool {
	if r.Code != 403 {
		return false
	}
	if r.Decision != "" {
		return r.Decision != "allow"
	}
	_, after, found := strings.Cut(r.Message, `: User "`)
	return found && strings.Contains(after, `" cannot `)
}

// Conflict reports whether a write was refused because the version it was decided on is not the newest.
func (r *Request) Conflict() bool { return r.Code == 409 && r.Reason == "Conflict" }

// Target is what the request is about, as "deployments default/x/status".
func (r *Request) Target() string {
	if r.Resource.Resource == "" {
		return r.Path
	}
	target := GroupResource(r.Resource)
	switch {
	case r.Namespace != "" && r.Name != "":
		target += " " + r.Namespace + "/" + r.Name
	case r.Name != "":
		target += " " + r.Name
	case r.Namespace != "":
		target += " in " + r.Namespace
	}
	if r.Subresource != "" {
		target += "/" + r.Subresource
	}
	return target
}

// Method is the verb as HTTP has it, with the subresource: "PUT status".
func (r *Request) Method() string {
	method := map[string]string{
		"get": "GET", "list": "LIST", "watch": "WATCH", "create": "POST", "update": "PUT", "patch": "PATCH", "apply": "APPLY",
		"delete": "DELETE", "deletecollection": "DELETE all",
	}[r.Verb]
	if method == "" {
		method = r.Verb
	}
	if r.Subresource != "" {
		method += " " + r.Subresource
	}
	return method
}

// reconcileID is the part of an audit ID that names a reconcile, or "".
func reconcileID(audit string) string {
	i := strings.LastIndexByte(audit, '.')
	if i < 0 {
		return ""
	}
	return audit[:i]
}

func (m *Model) addRequest(rec trace.Record, b *trace.Request) {
	r := &Request{Request: b, Seq: rec.Seq, T: rec.T, Actor: m.Actor(b.Actor), Resource: m.Resource(b.Resource), Object: m.objects[b.Object]}
	if r.Object == nil && b.Name != "" {
		r.Object = m.ByName(GroupResource(r.Resource), b.Namespace, b.Name)
	}
	if b.ID != "" { // as records of older versions may have it
		r.shared = m.requests[b.ID] != nil // a client can choose its IDs
		m.requests[b.ID] = r
	}
	m.recent = append(m.recent, r)
	id := reconcileID(b.ID)
	if id != "" {
		m.prefixes[id] = append(m.prefixes[id], r)
	}
	if v := m.awaited[b.ID]; v != nil {
		delete(m.awaited, b.ID)
		m.join(v, r, v.recordedWriter(r))
	} else if r.Writes() && r.OK() && !b.NoOp && b.RVOut != 0 && b.RVOut != b.RVIn && r.Object != nil {
		m.expect(r)
	}
	if id == "" {
		m.await(r)
	}
}

// expect links a write with the version that its answer has, now or when that is added.
func (m *Model) expect(r *Request) {
	if v := r.Object.At(r.RVOut); v != nil {
		if v.Request == nil && v.By == "" {
			m.join(v, r, certainly("the request's answer has this version"))
		}
		return
	}
	if n := r.Object.Newest(); n != nil && n.RV > r.RVOut {
		return
	}
	if len(r.Object.answered) > 16 {
		clear(r.Object.answered) // versions that are not recorded
	}
	if r.Object.answered == nil {
		r.Object.answered = map[uint64]*Request{}
	}
	r.Object.answered[r.RVOut] = r
}

// Request returns a request that is held, or nil. Of several with the ID it is the newest.
func (m *Model) Request(id string) *Request { return m.requests[id] }

// RequestAt returns the request that a record has, or nil.
func (m *Model) RequestAt(seq int64) *Request {
	i, ok := slices.BinarySearchFunc(m.recent, seq, func(r *Request, seq int64) int { return cmp.Compare(r.Seq, seq) })
	if !ok {
		return nil
	}
	return m.recent[i]
}

// Requests returns the requests that are held, by Seq. The caller must not change the slice.
func (m *Model) Requests() []*Request { return m.recent }

func (m *Model) forgetRequest(seq int64) {
	r := m.RequestAt(seq)
	if r == nil {
		return
	}
	if m.requests[r.ID] == r {
		delete(m.requests, r.ID)
	}
	for len(m.recent) > 0 && m.recent[0].Seq <= r.Seq {
		m.recent = keepTail(m.recent, 1)
	}
	if p := reconcileID(r.ID); p != "" {
		if m.prefixes[p] = keepTail(m.prefixes[p], 1); len(m.prefixes[p]) == 0 {
			delete(m.prefixes, p)
		}
	}
	if r.Object != nil {
		delete(r.Object.answered, r.RVOut)
	}
}
