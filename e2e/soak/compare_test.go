package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// right is an object as it should be, with its children as the hook makes them.
func right(t *testing.T, name string, uid types.UID) (basket, []configMap) {
	t.Helper()
	b := basket{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid, Generation: 3}, Spec: spec{Count: 2, Text: "t"}}
	b.Status = status{ObservedGeneration: 3, Count: 2, Text: "t"}
	data, err := json.Marshal(children(b))
	if err != nil {
		t.Fatal(err)
	}
	var all []configMap
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		all[i].OwnerReferences = []metav1.OwnerReference{{Name: name, UID: uid, Controller: new(true)}}
	}
	return b, all
}

func TestDifferences(t *testing.T) {
	gone := metav1.NewTime(time.Unix(1, 0))
	for want, change := range map[string]func(*basket, *[]configMap){
		"":                              func(*basket, *[]configMap) {},
		"b has status {":                func(b *basket, _ *[]configMap) { b.Generation++ },
		"b is still being deleted":      func(b *basket, _ *[]configMap) { b.DeletionTimestamp = &gone },
		"b has no child b-1":            func(_ *basket, c *[]configMap) { *c = (*c)[:1] },
		"child b-0 is still being":      func(_ *basket, c *[]configMap) { (*c)[0].DeletionTimestamp = &gone },
		"child b-0 is owned by b with":  func(_ *basket, c *[]configMap) { (*c)[0].OwnerReferences[0].UID = "2" },
		"child b-0 is owned by nobody":  func(_ *basket, c *[]configMap) { (*c)[0].OwnerReferences = nil },
		"child b-1 has map[text:other]": func(_ *basket, c *[]configMap) { (*c)[1].Data[childKey] = "other" },
		"child b-1 has map[more:x":      func(_ *basket, c *[]configMap) { (*c)[1].Data["more"] = "x" },
		"child left, of nobody, should": func(_ *basket, c *[]configMap) {
			*c = append(*c, configMap{ObjectMeta: metav1.ObjectMeta{Name: "left"}})
		},
	} {
		b, c := right(t, "b", "1")
		change(&b, &c)
		found := strings.Join(differences([]basket{b}, c), "\n")
		if !strings.HasPrefix(found, want) || (want == "") != (found == "") {
			t.Errorf("%q, want %q", found, want)
		}
	}
}
