package main

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
