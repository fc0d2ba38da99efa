// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/trace"
)

// A range of time has each record in it, also those that came late, and after others were forgotten.
func TestRecordsOfATime(t *testing.T) {
	m, random := New(), rand.New(rand.NewPCG(1, 2))
	for i := range int64(10_000) {
		m.Add(trace.Record{Seq: i + 1, T: i*100 - random.Int64N(50_000), Body: &trace.Log{}})
		if i == 4000 || i == 9000 {
			m.Forget(i - 2500)
		}
	}
	for range 50 {
		from := random.Int64N(1_000_000)
		to := from + random.Int64N(100_000)
		var want, got []int64
		for _, r := range m.Held() {
			if r.T >= from && r.T <= to {
				want = append(want, r.Seq)
			}
		}
		for r := range m.Records(from, to) {
			got = append(got, r.Seq)
		}
		assert.Equal(t, want, got)
	}
}

// The state at a version is that of all changes one after the other.
func TestStateIsThatOfAllChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	paths := []string{"status", "status.a", "status.b", "status.list", "status.list[0]", "status.list[1].x", `metadata.labels["a.b/c"]`, "metadata.labels"}
	values := []string{`1`, `"x"`, `{"a":1,"b":{"c":2}}`, `[1,{"x":2}]`, ``}
	for range 200 {
		o := &Object{Object: &trace.Object{}}
		want := map[string]any{}
		for rv := range uint64(30) {
			v := &Version{Version: &trace.Version{RV: rv + 1}}
			if rv == 0 || random.IntN(20) == 0 {
				v.Full = json.RawMessage(fmt.Sprintf(`{"spec":{"n":%d}}`, rv))
				want = map[string]any{}
				assert.NoError(t, json.Unmarshal(v.Full, &want))
			} else {
				c := trace.Change{Path: paths[random.IntN(len(paths))], Old: json.RawMessage(`0`)}
				if value := values[random.IntN(len(values))]; value != "" {
					c.New = json.RawMessage(value)
				}
				v.Changes = []trace.Change{c}
				apply(want, c.Path, c.New)
			}
			o.Versions = append(o.Versions, v)
		}
		got, whole := o.State(30)
		assert.True(t, whole)
		assert.Equal(t, want, got)
	}
}

// What is left of a slice moves to its begin if it is less than what goes: what is appended next takes the memory of what went.
func TestTailIsKeptInPlace(t *testing.T) {
	s := []int{1, 2, 3, 4}
	tail := keepTail(s, 3)
	assert.Equal(t, []int{4}, tail)
	assert.Equal(t, []int{4, 0, 0, 0}, s)
	assert.Equal(t, []int{2, 3, 4}, keepTail([]int{1, 2, 3, 4}, 1))
	assert.Empty(t, keepTail(s, 4))
	assert.Empty(t, keepTail(s[:0], 0))
}
