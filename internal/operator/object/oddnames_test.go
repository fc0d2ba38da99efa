// SPDX-License-Identifier: Apache-2.0

package object

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Some kinds take nearly any name, and all take any text for the name of an owner: one such object must not keep the others
// of its kind from being read.
func TestOddNamesDoNotStopAList(t *testing.T) {
	odd := []string{
		`{"metadata":{"name":"a\u0026b","uid":"1","resourceVersion":"1"}}`,
		`{"metadata":{"name":"a\"b","uid":"2","resourceVersion":"1"}}`,
		`{"metadata":{"name":"c","uid":"3","resourceVersion":"1","ownerReferences":[{"apiVersion":"v1","kind":"Foo","name":"\u003cb\u003e","uid":"x","controller":true}]}}`,
		`{"metadata":{"name":"d","uid":"4","resourceVersion":"1","ownerReferences":[{"apiVersion":"v1","kind":"Foo","name":"b","uid":"\u003c","controller":true}]}}`,
	}
	list, err := NewDecoder(strings.NewReader(`{"items":[`+strings.Join(odd, ",")+`]}`), cronTab, Whole, nil).List()
	require.NoError(t, err)
	require.Len(t, list.Items, len(odd))
	for i, want := range []string{`a&b`, `a\"b`, `c`, `d`} {
		o := list.Items[i].(*Object)
		if o.Name() != want || o.Owner() != "" || o.OwnerName() != "" {
			t.Errorf("%s is named %s, and %q named %q owns it", odd[i], o.Name(), o.Owner(), o.OwnerName())
		}
		if meta, err := o.Meta(); err != nil || meta.Name != strings.ReplaceAll(want, `\`, "") {
			t.Errorf("%s: %+v, %v", odd[i], meta, err)
		}
	}
	onlyOurs := func(o Owner) bool { return o.Kind == "Foo" }
	list, err = NewDecoder(strings.NewReader(`{"items":[`+strings.Join(odd, ",")+`]}`), cronTab, Identity, onlyOurs).List()
	require.NoError(t, err)
	assert.Empty(t, list.Items, "an owner with an impossible name was used: %v", list)
}
