// SPDX-License-Identifier: Apache-2.0

package model

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/trace"
)

// Requests without an ID, or with one that others have, are all held; which of them wrote a version is certain only if its answer has it.
func TestRequestsThatShareAnID(t *testing.T) {
	for _, id := range []string{"", "same"} {
		m := New()
		add := func(seq int64, b trace.Body) { m.Add(trace.Record{Seq: seq, T: seq, Body: b}) }
		add(1, &trace.Def{Actor: &trace.Actor{ID: 1, Name: "crontab", Class: trace.ClassController}})
		add(2, &trace.Def{Resource: &trace.Resource{ID: 1, Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}})
		add(3, &trace.Def{Object: &trace.Object{ID: 1, UID: "u", Resource: 1, Name: "x"}})
		for i := range int64(3) {
			add(4+2*i, &trace.Request{ID: id, Actor: 1, Verb: "update", Resource: 1, Object: 1, Code: 200, RVIn: uint64(1 + i), RVOut: uint64(2 + i)})
			add(5+2*i, &trace.Version{Object: 1, Type: "MODIFIED", RV: uint64(2 + i), Prev: uint64(1 + i), By: id})
		}
		require.Len(t, m.Requests(), 3)
		for i := range int64(3) {
			r := m.RequestAt(4 + 2*i)
			require.NotNil(t, r)
			require.NotNil(t, r.Version)
			assert.EqualValues(t, 2+i, r.Version.RV)
			assert.Equal(t, trace.Certain, r.Version.Writer.Certainty)
		}
		add(10, &trace.Version{Object: 1, Type: "MODIFIED", RV: 9, By: id})
		if id != "" {
			assert.Equal(t, trace.Likely, m.Object(1).At(9).Writer.Certainty)
		}
		m.Forget(7)
		assert.Len(t, m.Requests(), 1)
		assert.Nil(t, m.RequestAt(4))
		m.Forget(100)
		assert.Empty(t, m.Requests())
		assert.Nil(t, m.Request(id))
	}
}
