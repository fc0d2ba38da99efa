// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"reflect"
	"testing"
)

func TestLinesRoundTrip(t *testing.T) {
	for kind, create := range bodies {
		r := Record{Seq: 7, T: 42, Body: create()}
		line, err := r.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if got.Body.Kind() != kind || got.Seq != 7 || got.T != 42 || !reflect.DeepEqual(got.Body, r.Body) {
			t.Errorf("%s: read %+v from %s", kind, got, line)
		}
	}
}

// A recording of a later version has kinds and fields that this one does not know: they are kept.
func TestUnknownRecordsAreKept(t *testing.T) {
	for _, line := range []string{
		`{"seq":1,"t":2,"k":"telepathy","distance":3}`,
		`{"seq":1,"t":2,"k":"request","id":"a","actor":1,"began":1,"verb":"get","code":200,"mood":"good"}`,
		`{"seq":1,"t":2,"k":"request","id":["not","a","string"]}`,
	} {
		r, err := Parse([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := r.AppendJSON(nil); err != nil || string(again) != line {
			t.Errorf("wrote %s (%v), want %s", again, err, line)
		}
	}
	for _, line := range []string{``, `{}`, `[]`, `{"k":3}`, `{"seq":1,"t":2`,
		`{"seq":1,"t":-1,"k":"log"}`, `{"seq":1,"t":34560000000000001,"k":"log"}`, `{"seq":1,"t":9223372036854775807,"k":"log"}`} {
		if r, err := Parse([]byte(line)); err == nil {
			t.Errorf("%q: read %+v, want an error", line, r)
		}
	}
}
