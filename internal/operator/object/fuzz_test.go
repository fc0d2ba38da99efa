package object

import (
	"bytes"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzDecode has the decoder read anything: it does not panic, what it reads is JSON again, and the identity of an object stays that of
// the whole. That it is also what apimachinery's decoder makes of it, TestDecodeKeepsAllButWhatNobodyReads shows.
func FuzzDecode(f *testing.F) {
	for _, text := range readable {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := Decode(text, cronTab)
		if err != nil {
			return
		}
		assert.True(t, jsontext.Value(o.AppendJSON(nil)).IsValid(lenient...), "%q became what is no JSON: %s", text, o.AppendJSON(nil))
		_, _, _, _ = o.Spec(), o.Field("x"), o.GetObjectMeta(), o.MetadataOnly().Spec()
		if b := o.MetadataOnly(); b.Key() != o.Key() || !b.SameVersion(o) || b.Owner() != o.Owner() || b.OwnerName() != o.OwnerName() {
			t.Errorf("%q is %v, and bare %v", text, o, b)
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
