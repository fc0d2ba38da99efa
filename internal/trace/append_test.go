// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fill sets the fields of a struct to values of which some are zero and some need to be quoted.
func fill(random *rand.Rand, v reflect.Value) {
	texts := []string{"", "default/x", "a \"quoted\" \\ value", "<b>&\u2028", "tab\tand\x7f", "é", "\xff", `{"a":1}`}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[random.IntN(len(texts))])
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -5, 1 << 30}[random.IntN(4)])
	case reflect.Uint64:
		v.SetUint([]uint64{0, 7, 1<<64 - 1}[random.IntN(3)])
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for i := range random.IntN(3) {
			value := reflect.New(v.Type().Elem()).Elem()
			if value.Kind() == reflect.Interface {
				value.Set(reflect.ValueOf([]any{texts[random.IntN(len(texts))], "text", true}[random.IntN(2+random.IntN(2))]))
			} else {
				fill(random, value)
			}
			v.SetMapIndex(reflect.ValueOf(texts[i+random.IntN(5)]), value)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]json.RawMessage{nil, json.RawMessage(`{"a": "<b> é", "c":1}`), json.RawMessage(`"x"`)}[random.IntN(3)])
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), random.IntN(3), 3))
		for i := range v.Len() {
			fill(random, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(random, v.Field(i))
		}
	}
}

// What is encoded by hand is byte for byte what encoding/json makes, with all fields that there are.
func TestAppendIsEncodingJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, create := range bodies {
		if _, by := create().(appender); !by {
			continue
		}
		for range 2000 {
			body := create()
			fill(random, reflect.ValueOf(body).Elem())
			want, err := json.Marshal(body)
			require.NoError(t, err)
			line, err := (&Record{Seq: 3, T: 4, Body: body}).AppendJSON(nil)
			require.NoError(t, err)
			require.Equal(t, `{"seq":3,"t":4,"k":"`+string(body.Kind())+`",`+string(want[1:]), string(line))
		}
	}
	for _, body := range frequent {
		line := make([]byte, 0, 1024)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			line, _ = (&Record{Body: body}).AppendJSON(line[:0])
		}), body.Kind())
	}
}

// frequent are records of which there are most.
var frequent = []Body{
	&Event{Watch: "f00a6ba4-19e2-4b0a-a3c8-000000000001", Actor: 1, Type: "MODIFIED", Object: 7, RV: 100, Began: 98e6},
	&Request{
		ID: "f00a6ba4-19e2-4b0a-a3c8-000000000001", Actor: 1, Began: 98e6, Verb: "patch", Resource: 3, Namespace: "default", Name: "crontab-7", Object: 7, Code: 200, RVOut: 100,
		FieldManager: "manager", Decision: "allow", Because: "RBAC: allowed by a binding", Layers: map[string]int64{"etcd": 1e6, "decode": 1e3}, Bytes: 1600,
	},
	&Version{Object: 7, Type: "MODIFIED", RV: 100, Generation: 3, By: "f00a6ba4-19e2-4b0a-a3c8-000000000001", Prev: 90, Changes: []Change{
		{Path: "metadata.generation", Old: json.RawMessage("2"), New: json.RawMessage("3")}, {Path: "spec.replicas"},
	}},
	&Log{Level: "info", Message: "Successfully synced", Attrs: map[string]any{"key": "default/crontab-7", "kind": "CronTab"}, Key: "default/crontab-7"},
	&Queue{Controller: "crontabs.example.com", Key: "default/crontab-7", Op: "add", Why: "own", Object: 7, RV: 100, Depth: 3},
	&Reconcile{
		ID: "loop-7", Controller: "crontabs.example.com", Actor: 1, Key: "default/crontab-7", Object: 7, State: "begin", Began: 1e9, Waited: 1e6, Source: "loop",
		Causes: []Cause{{Why: "own", At: 1e9, Object: 7, RV: 100, Certainty: Certain, Proof: "the queue recorded it"}},
	},
}

// BenchmarkAppend is what the encoding of such records costs.
func BenchmarkAppend(b *testing.B) {
	for _, body := range frequent {
		b.Run(string(body.Kind()), func(b *testing.B) {
			b.ReportAllocs()
			var line []byte
			for b.Loop() {
				line, _ = (&Record{Seq: 1, T: 1, Body: body}).AppendJSON(line[:0])
			}
		})
		b.Run(string(body.Kind())+"/reflection", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = json.Marshal(body)
			}
		})
	}
}
