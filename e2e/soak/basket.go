// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
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

// status is the spec that the hook has seen, and its generation, which crdctl adds.
type status struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	spec               `json:",inline"`
}

// configMap is a child.
type configMap = corev1.ConfigMap

func basketName(n int) string { return fmt.Sprintf("basket-%d", n) }

func childName(parent string, n int) string { return fmt.Sprintf("%s-%d", parent, n) }

// leavesChildren reports whose children are left to the API server's garbage collector; those of the others, the hook
// removes before it lets the object go.
func leavesChildren(name string) bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // cannot fail
	return h.Sum32()%2 == 0
}

// question is what a hook is asked.
type question struct {
	Parent     basket                          `json:"parent"`
	Children   map[string]map[string]configMap `json:"children"`
	Finalizing bool                            `json:"finalizing"`
}

// answer is that of a hook that is well.
func (q question) answer() map[string]any {
	switch {
	case !q.Finalizing:
		return map[string]any{"children": children(q.Parent), "status": status{spec: q.Parent.Spec}}
	case leavesChildren(q.Parent.Name):
		return map[string]any{"children": children(q.Parent), "finalized": true}
	}
	return map[string]any{"children": []any{}, "finalized": len(q.Children["ConfigMap.v1"]) == 0}
}

// children are what the hook answers, and what there must be in the end.
func children(parent basket) []configMap {
	all := []configMap{} // and not null
	for n := range parent.Spec.Count {
		all = append(all, configMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: metav1.ObjectMeta{Name: childName(parent.Name, n), Labels: map[string]string{childLabel: "true"}},
			Data:       map[string]string{childKey: fmt.Sprintf("%s, %d of %d of %s", parent.Spec.Text, n, parent.Spec.Count, parent.Name)},
		})
	}
	return all
}

// differences compares everything that there is with what the specs ask for, and says what differs.
func differences(baskets []basket, configMaps []configMap) (found []string) {
	want, got := map[string]string{}, map[string]string{}
	for _, b := range baskets {
		want[b.Name] = fmt.Sprintf("%+v", status{b.Generation, b.Spec})
		got[b.Name] = fmt.Sprintf("%+v", b.Status) + ending(&b)
		for _, c := range children(b) {
			want[c.Name] = fmt.Sprintf("%v of %s with UID %s", c.Data, b.Name, b.UID)
		}
	}
	for _, c := range configMaps {
		owner := metav1.GetControllerOf(&c)
		if owner == nil {
			owner = &metav1.OwnerReference{Name: "no owner"}
		}
		got[c.Name] = fmt.Sprintf("%v of %s with UID %s", c.Data, owner.Name, owner.UID) + ending(&c)
	}
	all := maps.Clone(want)
	maps.Copy(all, got)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if want[name] != got[name] {
			found = append(found, fmt.Sprintf("%s is %q, want %q", name, got[name], want[name]))
		}
	}
	return found
}

// ending says that an object is being deleted, if it is.
func ending(o metav1.Object) string {
	if o.GetDeletionTimestamp() == nil {
		return ""
	}
	return fmt.Sprintf(", still being deleted, with finalizers %q", o.GetFinalizers())
}
