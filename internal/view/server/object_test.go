// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
	"github.com/crdctl/crdctl/internal/view/model"
)

// successors has an object whose child is deleted, and made anew under the same name.
func successors(t *testing.T) *session {
	owners := []trace.Owner{{Kind: "CronTab", Name: "x", UID: "u-x", Controller: true}}
	return sessionWith(t, 1,
		&trace.Header{Run: "r"},
		&trace.Def{Resource: &trace.Resource{ID: 1, Resource: "crontabs", Kind: "CronTab", Namespaced: true}},
		&trace.Def{Resource: &trace.Resource{ID: 2, Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}},
		&trace.Def{Object: &trace.Object{ID: 1, UID: "u-x", Resource: 1, Namespace: "default", Name: "x"}},
		&trace.Def{Object: &trace.Object{ID: 2, UID: "u-1", Resource: 2, Namespace: "default", Name: "x"}},
		&trace.Def{Object: &trace.Object{ID: 3, UID: "u-2", Resource: 2, Namespace: "default", Name: "x"}},
		&trace.Version{Object: 1, Type: "ADDED", RV: 1},
		&trace.Version{Object: 2, Type: "ADDED", RV: 2, Owners: owners},
		&trace.Version{Object: 1, Type: "MODIFIED", RV: 3, Prev: 1},
		&trace.Version{Object: 2, Type: "DELETED", RV: 4, Prev: 2, Owners: owners},
		&trace.Version{Object: 3, Type: "ADDED", RV: 5, Owners: owners},
		&trace.Version{Object: 1, Type: "MODIFIED", RV: 6, Prev: 3},
	)
}

// A child that was deleted is told apart from the one that has its name now.
func TestOwnedAndDeleted(t *testing.T) {
	s := successors(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, want := range map[string][]string{
		"0": {"3 ConfigMap default/x deleted=false", "2 ConfigMap default/x deleted=true"}, "7": nil, "9": {"2 ConfigMap default/x deleted=false"},
		"10": nil, "12": {"3 ConfigMap default/x deleted=false"},
	} {
		var got []string
		for _, c := range s.object(newQuery(url.Values{"id": {"1"}, "at": {at}})).(*object).Children {
			got = append(got, fmt.Sprintf("%d %s deleted=%t", c.ID, c.Name, c.Deleted))
		}
		assert.Equal(t, want, got, "at "+at)
	}
}

// The row of a version has what changed, before what counts the changes.
func TestSummaryOfAVersion(t *testing.T) {
	generation := trace.Change{Path: "metadata.generation", Old: []byte("1"), New: []byte("2")}
	for want, changes := range map[string][]trace.Change{
		"spec.replicas: 3 → 5":         {generation, {Path: "spec.replicas", Old: []byte("3"), New: []byte("5")}},
		"metadata.generation: 1 → 2":   {generation},
		"a: 0 → 1; b: 0 → 1; c: 0 → 1": {generation, {Path: "a", Old: []byte("0"), New: []byte("1")}, {Path: "b", Old: []byte("0"), New: []byte("1")}, {Path: "c", Old: []byte("0"), New: []byte("1")}},
	} {
		assert.Equal(t, want, summary(&model.Version{Version: &trace.Version{Type: "MODIFIED", Changes: changes}}))
	}
}

// The slider has the versions of the selected time, and begins with the newest of them, or with the one before.
func TestVersionsOfTheSelectedTime(t *testing.T) {
	s := successors(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range []struct {
		from, to, rv string
		marks        []uint64
		shown        uint64
	}{
		{"0", "0", "", []uint64{1, 3, 6}, 6},
		{"7", "9", "", []uint64{1, 3}, 3},
		{"7", "9", "1", []uint64{1, 3}, 1},
		{"7", "9", "6", []uint64{1, 3}, 6},
		{"10", "11", "", nil, 3},
	} {
		o := s.object(newQuery(url.Values{"id": {"1"}, "from": {c.from}, "to": {c.to}, "rv": {c.rv}})).(*object)
		var marks []uint64
		for _, m := range o.Versions {
			marks = append(marks, m.RV)
		}
		assert.Equal(t, c.marks, marks, "%+v", c)
		assert.Equal(t, c.shown, o.RV, "%+v", c)
	}
}
