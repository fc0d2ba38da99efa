// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
)

func readList(text string, keep Keep, owned func(Owner) bool) (*List, error) {
	return NewDecoder(strings.NewReader(text), cronTab, keep, owned).List()
}

func item(t *testing.T, list *List, i int) *Object {
	t.Helper()
	o, ok := list.Items[i].(*Object)
	require.True(t, ok, "item %d is a %T", i, list.Items[i])
	return o
}

func TestListReadsEachObject(t *testing.T) {
	var texts []string
	for _, text := range readable {
		texts = append(texts, text)
	}
	for _, list := range []string{
		`{"kind":"CronTabList","apiVersion":"v1","metadata":{"resourceVersion":"9","continue":"more","remainingItemCount":3},"items":[` + strings.Join(texts, ",") + `]}`,
		`{"items":[` + strings.Join(texts, " ,\n") + "],\n\"metadata\":{\"continue\":\"more\",\"resourceVersion\":\"9\"}}",
	} {
		got, err := readList(list, Whole, nil)
		require.NoError(t, err)
		if got.ResourceVersion != "9" || got.Continue != "more" || len(got.Items) != len(texts) {
			t.Fatalf("%d items in version %q, continued at %q", len(got.Items), got.ResourceVersion, got.Continue)
		}
		for i, text := range texts { // they share a buffer while they are read
			expectDecoded(t, item(t, got, i), []byte(text))
		}
	}
}

func TestListIsWhatClientGoTakes(t *testing.T) {
	list, err := readList(string(listOf(3)), Whole, nil)
	require.NoError(t, err)
	items, err := meta.ExtractList(list)
	require.NoError(t, err)
	require.Len(t, items, 3)
	if accessor, err := meta.ListAccessor(list); err != nil || accessor.GetResourceVersion() != "9" {
		t.Errorf("%v, %v", accessor, err)
	}
	if accessor, err := meta.Accessor(items[2]); err != nil || accessor.GetName() != "crontab-000002" || accessor.GetResourceVersion() != "2" {
		t.Errorf("%v, %v", accessor, err)
	}
	copied, ok := list.DeepCopyObject().(*List)
	require.True(t, ok, "the copy is no list")
	copied.Items[0], copied.ResourceVersion = items[1], "10"
	assert.Equal(t, "9", list.ResourceVersion, "the copy of a list is the list itself")
	assert.Equal(t, "crontab-000000", item(t, list, 0).Name(), "the copy of a list is the list itself")
}

func TestListWithoutItems(t *testing.T) {
	for _, text := range []string{`{"items":[]}`, `{"items":null}`, `{}`, `{"metadata":null,"items":[]}`} {
		if list, err := readList(text, Whole, nil); err != nil || len(list.Items) != 0 {
			t.Errorf("%s: %v, %v", text, list, err)
		}
	}
}

func TestListLeavesOutWhatOthersOwn(t *testing.T) {
	mine := func(o Owner) bool {
		return o.Kind == "CronTab" && o.APIVersion == "stable.example.com/v1" && o.Name == "c" && o.UID == "1"
	}
	list, err := readList(`{"items":[{"metadata":{"name":"orphan"}},`+
		`{"metadata":{"name":"mine","ownerReferences":[{"kind":"CronTab","apiVersion":"stable.example.com/v1","name":"c","uid":"1","controller":true}]}},`+
		`{"metadata":{"name":"not controlled","ownerReferences":[{"kind":"CronTab","apiVersion":"stable.example.com/v1","name":"c","uid":"1"}]}},`+
		`{"metadata":{"name":"theirs","ownerReferences":[{"kind":"Other","controller":true}]}}]}`, Whole, mine)
	if err != nil || len(list.Items) != 1 || item(t, list, 0).Name() != "mine" {
		t.Fatalf("%v, %v", list, err)
	}
}

func TestListOfIdentities(t *testing.T) {
	list, err := readList(string(listOf(2)), Identity, nil)
	require.NoError(t, err)
	require.Len(t, list.Items, 2)
	if o := item(t, list, 1); !o.IsMetadataOnly() || o.Name() != "crontab-000001" || o.UID() != "6f1c2a52-0000-4000-8000-000000000001" || o.Generation() != 1 {
		t.Errorf("%+v", o)
	}
}

func TestListNoticesWhatIsCutOff(t *testing.T) {
	whole := string(listOf(2))
	for end := range len(whole) {
		_, err := readList(whole[:end], Whole, nil)
		require.ErrorIs(t, err, errTruncated, "cut off after %d bytes", end)
	}
}

func TestListRefuses(t *testing.T) {
	for _, text := range []string{
		`[]`, `null`, `5`, `<html>`, `{"items":{}}`, `{"items":"x"}`, `{"items":[null]}`, `{"items":[1,"metadata",{}]}`, `{"items":[{},]}`, `{"items":[[]]}`,
		`{"metadata":5,"items":[]}`, `{"metadata":{"resourceVersion":5}}`, `{"items":[{"metadata":{"name":5}}]}`,
	} {
		_, err := readList(text, Whole, nil)
		assert.Error(t, err, text)
	}
}

// At no time is all of a list in memory: what was read is forgotten.
func TestListIsReadInOnePass(t *testing.T) {
	data := listOf(5000)
	in := bytes.NewReader(data)
	d := NewDecoder(in, cronTab, Identity, nil)
	furthest := int64(0)
	d.owned = func(Owner) bool {
		furthest = max(furthest, in.Size()-int64(in.Len())-d.in.InputOffset())
		return true
	}
	_, err := d.List()
	require.NoError(t, err)
	assert.LessOrEqual(t, furthest, int64(len(data))/100, "%d bytes had been read ahead", len(data))
}
