package object

import (
	"encoding/json"
	"strings"
	"testing"

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
	if want := "nsnu5oowner"; b.text != want {
		t.Errorf("the text is %q, want %q and no more", b.text, want)
	}
	if text := string(b.AppendJSON(nil)); text != `{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab"}` {
		t.Error(text)
	}
	for what, err := range map[string]error{
		"decode CronTab ns/n: only its metadata was kept":    second(b.Content()),
		"read the metadata of CronTab ns/n: it was not kept": second(b.Meta()),
	} {
		if err == nil || err.Error() != what {
			t.Errorf("got %v, want %s", err, what)
		}
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
		if got := one.SameVersion(decode(t, text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestContentKeepsIntegersWhole(t *testing.T) {
	content, err := decode(t, `{"spec":{"i":9007199254740993,"f":1.5}}`).Content()
	if err != nil {
		t.Fatal(err)
	}
	spec := content["spec"].(map[string]any)
	if spec["i"] != int64(9007199254740993) || spec["f"] != 1.5 {
		t.Errorf("%v", spec)
	}
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
		if got := o.Spec(); got != want {
			t.Errorf("spec of %s: %s, want %s", text, got, want)
		}
		if got := o.MetadataOnly().Spec(); got != "{}" {
			t.Errorf("spec of the bare %s: %s", text, got)
		}
	}
	o := decode(t, `{"metadata":{"name":"a"},"spec":{"b":{"c":"}"}},"status":null,"odd":5}`)
	for name, want := range map[string]string{"metadata": `{"name":"a"}`, "spec": `{"b":{"c":"}"}}`, "status": "null", "odd": "5", "b": "", "apiVersion": ""} {
		if got := o.Field(name); got != want {
			t.Errorf("field %s: %q, want %q", name, got, want)
		}
	}
}

func TestMetaIsWithoutWhatNobodyReads(t *testing.T) {
	meta, err := decode(t, sample(4)).Meta()
	if err != nil {
		t.Fatal(err)
	}
	var whole metav1.PartialObjectMetadata
	if err := json.Unmarshal([]byte(sample(4)), &whole); err != nil {
		t.Fatal(err)
	}
	whole.ManagedFields = nil
	got, _ := json.Marshal(meta)
	if want, _ := json.Marshal(whole.ObjectMeta); string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestObjectIsMarshalledInOthers(t *testing.T) {
	text, err := json.Marshal(map[string]any{"parent": decode(t, `{"spec":{"a":"<&>"},"metadata":{"name":"n"}}`)})
	if err != nil || !strings.Contains(string(text), `{"parent":{"apiVersion":"stable.example.com/v1beta1","kind":"CronTab","spec":{"a":"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestCompactLeavesTextAsItIs(t *testing.T) {
	if text, err := Compact(map[string]any{"rules": []any{"a && b < c"}}); err != nil || string(text) != `{"rules":["a && b < c"]}` {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := Compact(make(chan int)); err == nil {
		t.Error("a channel became JSON")
	}
}

func TestClientGoReadsTheObject(t *testing.T) {
	o := decode(t, sample(3))
	meta := o.GetObjectMeta()
	if meta.GetName() != o.Name() || meta.GetNamespace() != "default" || meta.GetUID() != o.UID() || meta.GetResourceVersion() != "3" || meta.GetGeneration() != 1 {
		t.Errorf("%+v", meta)
	}
	if gvk := o.GetObjectKind().GroupVersionKind(); gvk.String() != "stable.example.com/v1beta1, Kind=CronTab" {
		t.Error(gvk)
	}
	if o.DeepCopyObject() != o {
		t.Error("an object that never changes was copied")
	}
}
