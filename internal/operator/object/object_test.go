// SPDX-License-Identifier: Apache-2.0

package object

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestBareKeepsTheIdentity(t *testing.T) {
	o := decode(t, `{"metadata":{"name":"n","namespace":"ns","uid":"u","resourceVersion":"5","generation":3,"deletionTimestamp":"2026-11-21T00:00:00Z",`+
		`"ownerReferences":[{"name":"owner","uid":"o","controller":true}]},"spec":{"a":1}}`)
	b := o.MetadataOnly()
	if !b.IsMetadataOnly() || o.IsMetadataOnly() || b.MetadataOnly() != b {
		t.Error("bare is not what it should be")
	}
	if b.Key() != o.Key() || !b.SameVersion(o) || b.Generation() != 3 || !b.Deleting() || b.Owner() != "o" || b.OwnerName() != "owner" || b.Kind() != "CronTab" {
		t.Errorf("%+v", b)
	}
	assert.Equal(t, "nsnu5oowner", b.text, "the text: and no more")
	assert.Equal(t, `{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab"}`, string(b.AppendJSON(nil)))
	for what, err := range map[string]error{
		"decode CronTab ns/n: only its metadata is in the cache":    second(b.Content()),
		"read the metadata of CronTab ns/n: it is not in the cache": second(b.Meta()),
	} {
		assert.EqualError(t, err, what)
	}
}

func second[T any](_ T, err error) error { return err }

func TestSameVersion(t *testing.T) {
	one := decode(t, `{"metadata":{"uid":"a","resourceVersion":"1"}}`)
	for text, want := range map[string]bool{
		`{"metadata":{"uid":"a","resourceVersion":"1","name":"x"}}`: true,
		`{"metadata":{"uid":"a","resourceVersion":"2"}}`:            false,
		`{"metadata":{"uid":"b","resourceVersion":"1"}}`:            false, // made again on a new API server
	} {
		assert.Equal(t, want, one.SameVersion(decode(t, text)), text)
	}
}

func TestContentKeepsIntegersWhole(t *testing.T) {
	content, err := decode(t, `{"spec":{"i":9007199254740993,"f":1.5}}`).Content()
	require.NoError(t, err)
	spec := content["spec"].(map[string]any)
	assert.Equal(t, int64(9007199254740993), spec["i"], "%v", spec)
	assert.Equal(t, 1.5, spec["f"], "%v", spec)
	spec["i"] = 1 // it is the caller's own
	if again, _ := decode(t, `{"spec":{"i":2}}`).Content(); again["spec"].(map[string]any)["i"] != int64(2) {
		t.Errorf("%v", again)
	}
}

func TestSpecAndField(t *testing.T) {
	for text, want := range map[string]string{
		`{"metadata":{"name":"a"},"spec":{"a":1},"status":{"spec":2}}`:                     `{"a":1}`,
		`{"spec":"text","metadata":{}}`:                                                    `"text"`,
		`{"apiVersion":"v1","kind":"K","metadata":{},"status":"s","rules":["a && b < c"]}`: `{"rules":["a && b < c"]}`,
		`{"data":{"spec":"x"},"metadata":{"name":"a"},"immutable":true}`:                   `{"data":{"spec":"x"},"immutable":true}`,
		`{"metadata":{"name":"a"}}`:                                                        `{}`,
		`{}`:                                                                               `{}`,
	} {
		o := decode(t, text)
		assert.Equal(t, want, o.Spec(), "spec of %s", text)
		assert.Equal(t, "{}", o.MetadataOnly().Spec(), "spec of the bare %s", text)
	}
	o := decode(t, `{"metadata":{"name":"a"},"spec":{"b":{"c":"}"}},"status":null,"odd":5}`)
	for name, want := range map[string]string{"metadata": `{"name":"a"}`, "spec": `{"b":{"c":"}"}}`, "status": "null", "odd": "5", "b": "", "apiVersion": ""} {
		assert.Equal(t, want, o.Field(name), "field %s", name)
	}
}

func TestMetaIsWithoutWhatNobodyReads(t *testing.T) {
	meta, err := decode(t, sample(4)).Meta()
	require.NoError(t, err)
	var whole metav1.PartialObjectMetadata
	require.NoError(t, json.Unmarshal([]byte(sample(4)), &whole))
	whole.ManagedFields = nil
	got, _ := json.Marshal(meta)
	want, _ := json.Marshal(whole.ObjectMeta)
	assert.Equal(t, string(want), string(got))
}

func TestObjectIsMarshalledInOthers(t *testing.T) {
	text, err := json.Marshal(map[string]any{"parent": decode(t, `{"spec":{"a":"<&>"},"metadata":{"name":"n"}}`)})
	require.NoError(t, err)
	assert.Contains(t, string(text), `{"parent":{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","spec":{"a":"`)
}

func TestCompactLeavesTextAsItIs(t *testing.T) {
	if text, err := Compact(map[string]any{"rules": []any{"a && b < c"}}); err != nil || string(text) != `{"rules":["a && b < c"]}` {
		t.Errorf("%s, %v", text, err)
	}
	_, err := Compact(make(chan int))
	assert.Error(t, err, "a channel became JSON")
}

func TestClientGoReadsTheObject(t *testing.T) {
	o := decode(t, sample(3))
	meta := o.GetObjectMeta()
	if meta.GetName() != o.Name() || meta.GetNamespace() != "default" || meta.GetUID() != o.UID() || meta.GetResourceVersion() != "3" || meta.GetGeneration() != 1 {
		t.Errorf("%+v", meta)
	}
	assert.Equal(t, "stable.example.com/v1beta1, Kind=CronTab", o.GetObjectKind().GroupVersionKind().String())
	assert.Same(t, o, o.DeepCopyObject(), "an object that never changes was copied")
}
