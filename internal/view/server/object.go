// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// object is one object: how it is at a version, and how it got there.
type object struct {
	ID         trace.ObjectID  `json:"id"`
	Name       string          `json:"name"`
	UID        string          `json:"uid"`
	Deleted    bool            `json:"deleted,omitempty"`
	Deleting   string          `json:"deleting,omitempty"`
	Versions   []versionMark   `json:"versions"` // that are held and in the chosen time, for the slider
	RV         uint64          `json:"rv"`
	Seq        int64           `json:"seq"`
	T          int64           `json:"t"`
	Generation int64           `json:"generation,omitempty"`
	Writer     string          `json:"writer,omitempty"`
	Certainty  trace.Certainty `json:"certainty,omitempty"`
	Prev       uint64          `json:"prev,omitempty"`
	Changes    []trace.Change  `json:"changes"`
	Defaults   []string        `json:"defaults,omitempty"` // paths that were stored otherwise than sent
	State      string          `json:"state"`
	Whole      bool            `json:"whole"` // State has all fields; else those that changed
	Owners     []ownerRow      `json:"owners"`
	Children   []ownerRow      `json:"children"`
	Finalizers []finalizer     `json:"finalizers"`
	Conditions []condition     `json:"conditions"`
	Events     []kubeEvent     `json:"events"`
	Fields     []fieldWriter   `json:"fields"`
}

type versionMark struct {
	RV uint64 `json:"rv"`
	T  int64  `json:"t"`
}

type ownerRow struct {
	ID         trace.ObjectID `json:"id,omitempty"`
	Name       string         `json:"name"`
	Controller bool           `json:"controller,omitempty"`
	Deleted    bool           `json:"deleted,omitempty"`
	Red        string         `json:"red,omitempty"`
}

type finalizer struct {
	Name  string `json:"name"`
	Since int64  `json:"since"` // T of the first version that is held with it
}

type condition struct {
	T       int64  `json:"t"`
	RV      uint64 `json:"rv"`
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

type kubeEvent struct {
	Seq     int64  `json:"seq"`
	T       int64  `json:"t"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Count   int    `json:"count,omitempty"`
}

type fieldWriter struct {
	Path      string          `json:"path"`
	By        string          `json:"by"`
	Certainty trace.Certainty `json:"certainty,omitempty"` // of By; none where that is not known
	T         int64           `json:"t"`
	Seq       int64           `json:"seq"`
	N         int             `json:"n"` // versions that changed it
	Value     json.RawMessage `json:"value,omitempty"`
}

const (
	maxMarks  = 2000
	maxListed = 100
)

// object answers with an object, or null.
func (s *session) object(q query) any {
	o := s.model.Object(trace.ObjectID(q.number("id")))
	if o == nil {
		return nil
	}
	out := &object{
		ID: o.ID, Name: o.String(), UID: o.UID, Deleted: o.Deleted, Versions: []versionMark{}, Changes: []trace.Change{}, Owners: []ownerRow{},
		Children: []ownerRow{}, Finalizers: []finalizer{}, Conditions: []condition{}, Events: append([]kubeEvent{}, s.kubeEvents[o.ID]...), Fields: fieldsOf(o),
	}
	v := o.At(uint64(q.number("rv")))
	chosen := v != nil
	if !chosen {
		v = o.Newest()
	}
	for _, of := range o.Versions {
		if q.inTime(of.T) {
			out.Versions = append(out.Versions, versionMark{of.RV, of.T})
		}
		if !chosen && (q.to == 0 || of.T <= q.to) {
			v = of // at the end of the chosen time
		}
	}
	out.Versions = out.Versions[max(0, len(out.Versions)-maxMarks):]
	out.Children = s.owned(o, q.number("at"))
	if v == nil {
		return out
	}
	out.RV, out.Seq, out.T, out.Generation, out.Prev, out.Deleting = v.RV, v.Seq, v.T, v.Generation, v.Prev, v.Deleting
	out.Writer, out.Certainty = writerOf(v)
	if v.Changes != nil {
		out.Changes = v.Changes
	}
	if v.Request != nil {
		for _, c := range v.Request.Drift {
			out.Defaults = append(out.Defaults, c.Path)
		}
	}
	state, whole := o.State(v.RV)
	text, _ := json.MarshalIndent(state, "", "  ") // was JSON
	out.State, out.Whole = string(text), whole
	t := forest{s: s}
	for _, owner := range v.Owners {
		row := ownerRow{Name: owner.Kind + " " + owner.Name, Controller: owner.Controller}
		if p := s.model.ByUID(owner.UID); p != nil {
			row.ID, row.Name = p.ID, p.String()
		}
		row.Red = t.red(o)
		out.Owners = append(out.Owners, row)
	}
	for _, name := range v.Finalizers {
		f := finalizer{Name: name, Since: v.T}
		for _, before := range slices.Backward(o.Versions) {
			if before.RV <= v.RV && slices.Contains(before.Finalizers, name) {
				f.Since = before.T
			}
		}
		out.Finalizers = append(out.Finalizers, f)
	}
	out.Conditions = conditionsOf(o)
	return out
}

// owned are the objects that an object owned at a time, or now for 0: then, those that were deleted are the last.
func (s *session) owned(o *model.Object, at int64) []ownerRow {
	t := forest{s: s, at: at}
	rows, deleted := []ownerRow{}, []ownerRow{}
	for _, c := range s.model.Owned(o) {
		row := ownerRow{ID: c.ID, Name: c.String(), Deleted: at == 0 && c.Deleted}
		switch {
		case row.Deleted:
			deleted = append(deleted, row)
		case t.exists(c):
			rows = append(rows, row)
		}
	}
	rows = append(rows, deleted...)
	return rows[:min(len(rows), maxListed)]
}

func writerOf(v *model.Version) (string, trace.Certainty) {
	if v.Request == nil {
		return "", trace.Uncertain
	}
	return actorName(v.Request.Actor) + ": " + v.Request.Method(), v.Writer.Certainty
}

// conditionsOf returns the changes of an object's conditions, the newest first.
func conditionsOf(o *model.Object) []condition {
	all, last := []condition{}, map[string]string{}
	from, looked := uint64(0), 0
	for _, v := range slices.Backward(o.Versions) {
		if v.Full == nil && !slices.ContainsFunc(v.Changes, func(c trace.Change) bool { return strings.HasPrefix(c.Path, "status.conditions") || c.Path == "status" }) {
			continue
		}
		if from, looked = v.RV, looked+1; looked > maxListed {
			break
		}
	}
	for v, value := range o.Values("status.conditions", from) {
		conditions, _ := value.([]any)
		for _, c := range conditions {
			fields, _ := c.(map[string]any)
			text := func(name string) string { t, _ := fields[name].(string); return t }
			is := text("status") + " " + text("reason")
			if last[text("type")] == is {
				continue
			}
			last[text("type")] = is
			all = append(all, condition{T: v.T, RV: v.RV, Type: text("type"), Status: text("status"), Reason: text("reason"), Message: text("message")})
		}
	}
	slices.Reverse(all)
	return all
}

// fieldsOf returns who wrote each field that changed last.
func fieldsOf(o *model.Object) []fieldWriter {
	all, by := []fieldWriter{}, map[string]int{}
	for _, v := range slices.Backward(o.Versions) {
		for _, c := range v.Changes {
			if i, ok := by[c.Path]; ok {
				all[i].N++
				continue
			}
			if len(all) == maxListed {
				continue
			}
			who, certainty := writerOf(v)
			if who == "" {
				who, certainty = "not known", ""
			}
			by[c.Path] = len(all)
			all = append(all, fieldWriter{Path: c.Path, By: who, Certainty: certainty, T: v.T, Seq: v.Seq, N: 1, Value: c.New})
		}
	}
	return all
}

// versionRow is a version, or several in a row that differ in managedFields only.
type versionRow struct {
	Seq        int64           `json:"seq"`
	T          int64           `json:"t"`
	RV         uint64          `json:"rv"`
	Generation int64           `json:"generation,omitempty"`
	Type       string          `json:"type"`
	Writer     string          `json:"writer"`
	Certainty  trace.Certainty `json:"certainty"`
	Summary    string          `json:"summary"`
	Folded     int             `json:"folded,omitempty"`
}

// versions answers with the versions of an object, the newest first.
func (s *session) versions(q query) any {
	type part struct {
		*model.Version
		folded int
	}
	var all []part
	row := func(p part) versionRow {
		who, certainty := writerOf(p.Version)
		return versionRow{Seq: p.Seq, T: p.T, RV: p.RV, Generation: p.Generation, Type: p.Type, Writer: who, Certainty: certainty, Summary: summary(p.Version), Folded: p.folded}
	}
	o := s.model.Object(trace.ObjectID(q.number("id")))
	if o == nil {
		return page(s, q, all, row)
	}
	managed := q.is("managed")
	for _, v := range o.Versions {
		if !q.isHeld(v.Seq) || !q.inTime(v.T) {
			continue
		}
		p := part{Version: v}
		last := len(all) - 1
		if v.ManagedOnly {
			p.folded = 1
			if !managed && last >= 0 && all[last].folded > 0 && sameWriter(all[last].Version, v) {
				p.folded = all[last].folded + 1
				all[last] = p
				continue
			}
		}
		all = append(all, p)
	}
	return page(s, q, all, row)
}

func sameWriter(a, b *model.Version) bool {
	before, _ := writerOf(a)
	now, _ := writerOf(b)
	return before == now
}

func summary(v *model.Version) string {
	switch {
	case v.ManagedOnly:
		return "only metadata.managedFields"
	case len(v.Changes) == 0 && v.Type == "ADDED":
		return "created"
	case v.Type == "DELETED":
		return "deleted"
	case len(v.Changes) == 0:
		return "changes were not recorded"
	}
	changes := slices.DeleteFunc(slices.Clone(v.Changes), func(c trace.Change) bool { return c.Path == "metadata.generation" && len(v.Changes) > 1 }) // it has a column
	paths := []string{}
	for i, c := range changes {
		if i == 3 {
			paths = append(paths, fmt.Sprintf("%d more", len(changes)-3))
			break
		}
		if c.Withheld() {
			paths = append(paths, c.Path+" changed (value not recorded)")
			continue
		}
		before, after := text.Differ(written(c.Old), written(c.New), 40)
		paths = append(paths, fmt.Sprintf("%s: %s → %s", c.Path, before, after))
	}
	return strings.Join(paths, "; ")
}

// written is a value of a field.
func written(raw json.RawMessage) string {
	if raw == nil {
		return "(none)"
	}
	return string(raw)
}
