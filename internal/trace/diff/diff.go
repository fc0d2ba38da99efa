// SPDX-License-Identifier: Apache-2.0

// Package diff compares decoded objects of Kubernetes field by field. It knows no schemas: lists are compared by
// position, and one whose length changed is one change.
package diff

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/trace"
)

// Changes returns what differs between two versions of an object, in the order of the paths. managedFields and
// resourceVersion, which differ between any two, are never part of it. A field that is null is a missing one.
func Changes(before, after map[string]any) []trace.Change {
	var c changes
	c.maps("", before, after)
	return c
}

// served are the fields of metadata that clients set.
var served = []string{"labels", "annotations", "finalizers", "ownerReferences"}

// Drift returns what the API server stored otherwise than an update sent it, because of defaults, pruning or admission.
// Of an update of a subresource only the status counts, and of one of the object all but the status.
func Drift(sent, stored map[string]any, subresource string) []trace.Change {
	var c changes
	if subresource == "status" {
		c.values("status", sent["status"], stored["status"])
		return c
	}
	for _, key := range keys(sent, stored) {
		switch key {
		case "status", "apiVersion", "kind":
		case "metadata":
			a, _ := sent[key].(map[string]any)
			b, _ := stored[key].(map[string]any)
			for _, field := range served {
				c.values(join(key, field), a[field], b[field])
			}
		default:
			c.values(key, sent[key], stored[key])
		}
	}
	return c
}

type changes []trace.Change

func (c *changes) values(path string, before, after any) {
	switch a := before.(type) {
	case map[string]any:
		if b, ok := after.(map[string]any); ok {
			c.maps(path, a, b)
			return
		}
		if after == nil && len(a) == 0 {
			return
		}
	case []any:
		if b, ok := after.([]any); ok && len(a) == len(b) {
			for i := range a {
				c.values(path+"["+strconv.Itoa(i)+"]", a[i], b[i])
			}
			return
		}
	case nil:
		if b, ok := after.(map[string]any); after == nil || ok && len(b) == 0 {
			return
		}
	}
	if !reflect.DeepEqual(before, after) {
		*c = append(*c, trace.Change{Path: path, Old: encode(before), New: encode(after)})
	}
}

func (c *changes) maps(path string, before, after map[string]any) {
	for _, key := range keys(before, after) {
		if path == "metadata" && (key == "managedFields" || key == "resourceVersion") {
			continue
		}
		c.values(join(path, key), before[key], after[key])
	}
}

func keys(before, after map[string]any) []string {
	all := slices.AppendSeq(make([]string, 0, len(before)+2), maps.Keys(before))
	for key := range after {
		if _, both := before[key]; !both {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}

func join(path, key string) string {
	switch {
	case key == "" || strings.ContainsAny(key, ".[]\"/ \\"):
		return path + "[" + strconv.Quote(key) + "]"
	case path == "":
		return key
	default:
		return path + "." + key
	}
}

func encode(value any) json.RawMessage {
	if value == nil {
		return nil
	}
	line, err := json.Marshal(value)
	if err != nil { // a value that JSON does not have, such as NaN
		return json.RawMessage(`"?"`)
	}
	return line
}
