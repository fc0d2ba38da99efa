package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"

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
type configMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data"`
}

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
