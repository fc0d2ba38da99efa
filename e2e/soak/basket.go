package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// crd is the kind of the objects.
//
//go:embed crd.yaml
var crd []byte

const (
	namespace      = "default"
	basketsPath    = "/apis/soak.example.com/v1/namespaces/" + namespace + "/baskets"
	configMapsPath = "/api/v1/namespaces/" + namespace + "/configmaps"
	crdPath        = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/baskets.soak.example.com"

	// childLabel is on every child, so that one is found that has lost its parent.
	childLabel = "soak.example.com/child"
	childKey   = "text" // in a child's data
)

// basket is an object: it asks for so many children with a text.
type basket struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              spec   `json:"spec"`
	Status            status `json:"status,omitzero"`
}

type spec struct {
	Count int    `json:"count"`
	Text  string `json:"text"`
}

type status struct {
	ObservedGeneration int64  `json:"observedGeneration,omitempty"` // crdctl adds it to what the hook says
	Count              int    `json:"count"`
	Text               string `json:"text"`
}

// configMap is a child.
type configMap = corev1.ConfigMap

func basketName(n int) string { return fmt.Sprintf("basket-%d", n) }

func childName(parent string, n int) string { return fmt.Sprintf("%s-%d", parent, n) }

// wantedChildren is what the hook answers, and what there must be in the end: texts by the child's name.
func wantedChildren(name string, s spec) map[string]string {
	all := map[string]string{}
	for n := range s.Count {
		all[childName(name, n)] = fmt.Sprintf("%s, %d of %d of %s", s.Text, n, s.Count, name)
	}
	return all
}

// leavesChildren tells whose children are left to the API server's garbage collector; those of the others, the hook
// removes before it lets the object go.
func leavesChildren(name string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // cannot fail
	return h.Sum32()%2 == 0
}

func newBasket(name string, s spec) ([]byte, error) {
	return json.Marshal(basket{TypeMeta: metav1.TypeMeta{APIVersion: "soak.example.com/v1", Kind: "Basket"}, ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: s})
}

// differences compares everything that there is with what the specs ask for, and says what differs.
func differences(baskets []basket, configMaps []configMap) (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	byName := map[string]configMap{}
	for _, c := range configMaps {
		byName[c.Name] = c
	}
	for _, b := range baskets {
		if b.DeletionTimestamp != nil {
			say("%s is still being deleted, with finalizers %q", b.Name, b.Finalizers)
		}
		if want := (status{ObservedGeneration: b.Generation, Count: b.Spec.Count, Text: b.Spec.Text}); b.Status != want {
			say("%s has status %+v, want %+v", b.Name, b.Status, want)
		}
		wanted := wantedChildren(b.Name, b.Spec)
		for _, name := range slices.Sorted(maps.Keys(wanted)) {
			child, there := byName[name]
			delete(byName, name)
			switch owner := metav1.GetControllerOf(&child); {
			case !there:
				say("%s has no child %s", b.Name, name)
			case child.DeletionTimestamp != nil:
				say("child %s is still being deleted", name)
			case owner == nil || owner.UID != b.UID:
				say("child %s is owned by %s, want %s with UID %s", name, ownerOf(child), b.Name, b.UID)
			case len(child.Data) != 1 || child.Data[childKey] != wanted[name]:
				say("child %s has %v, want %s", name, child.Data, wanted[name])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		say("child %s, of %s, should not be there", name, ownerOf(byName[name]))
	}
	return found
}

func ownerOf(c configMap) string {
	if owner := metav1.GetControllerOf(&c); owner != nil {
		return fmt.Sprintf("%s with UID %s", owner.Name, owner.UID)
	}
	return "nobody"
}
