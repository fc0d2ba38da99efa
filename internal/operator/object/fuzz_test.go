// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// typical reports whether an API server could send text: JSON without names that occur twice, which is a Kubernetes object to
// encoding/json, and in which no name of a field, and nothing that identifies the object, is written with escapes or as null.
func typical(text []byte) bool {
	var typed struct {
		APIVersion *string           `json:"apiVersion"`
		Metadata   metav1.ObjectMeta `json:"metadata"`
	}
	if !jsontext.Value(text).IsValid() || !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || json.Unmarshal(text, &typed) != nil {
		return false
	}
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for name := ""; ; {
		kind := d.PeekKind()
		if kind == '{' || kind == '}' || kind == '[' || kind == ']' {
			_, _ = d.ReadToken() // it is valid
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			return true
		}
		in, count := d.StackIndex(d.StackDepth())
		isName := in == '{' && count%2 == 1
		if isName {
			name = string(value)
		}
		switch {
		case d.StackDepth() > 4:
		case isName && strings.Contains(name, `\`):
			return false
		case isName:
		case name == `"name"` || name == `"namespace"` || name == `"uid"` || name == `"resourceVersion"`:
			if kind != '"' || bytes.Contains(value, []byte(`\`)) {
				return false
			}
		case name == `"generation"` && kind != '0':
			return false
		}
	}
}

// FuzzDecode compares the decoder with apimachinery's: it does not panic, what it reads is JSON again, and what is a Kubernetes object
// has the same content.
func FuzzDecode(f *testing.F) {
	for _, text := range readable {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, unreadable := stripped(text)
		isTypical := unreadable == nil && typical(text)
		o, err := Decode(text, cronTab)
		if err != nil {
			require.False(t, isTypical, "%q: %v; it is %v", text, err, want)
			return
		}
		assert.True(t, jsontext.Value(o.AppendJSON(nil)).IsValid(lenient...), "%q became what is no JSON: %s", text, o.AppendJSON(nil))
		_, _, _, _ = o.Spec(), o.Field("x"), o.GetObjectMeta(), o.MetadataOnly().Spec()
		if b := o.MetadataOnly(); b.Key() != o.Key() || !b.SameVersion(o) || b.Owner() != o.Owner() || b.OwnerName() != o.OwnerName() {
			t.Errorf("%q is %v, and bare %v", text, o, b)
		}
		if isTypical {
			expectDecoded(t, o, text)
		}
	})
}

// FuzzEvents has lists and watches read anything.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"type":"ADDED","object":{"metadata":{"name":"a"}}}` + "\n" + `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}`))
	f.Add([]byte(`{"type":"ERROR","object":{"kind":"Status","code":410}}`))
	f.Add([]byte(`{"kind":"List","metadata":{"resourceVersion":"5","continue":"c"},"items":[{"metadata":{"name":"a","uid":"u"}},{"spec":{}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, keep := range []Keep{Whole, Identity} {
			owned := func(o Owner) bool { return o.Name == "" }
			d := NewDecoder(bytes.NewReader(text), cronTab, keep, owned)
			for {
				event, err := d.Event()
				if err != nil {
					break
				}
				require.NotNil(t, event.Object, "%q has an event without an object", text)
				if o, ok := event.Object.(*Object); ok {
					_, _, _ = o.Key(), o.GetObjectMeta(), o.AppendJSON(nil)
				}
			}
			list, err := NewDecoder(iotest.OneByteReader(bytes.NewReader(text)), cronTab, keep, owned).List()
			if err == nil && list == nil {
				t.Fatalf("%q is no list and no error", text)
			}
		}
	})
}
