// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdctl/crdctl/internal/crd/write"
)

// Write is a way to write an object.
type Write string

// The ways to write an object. None of the updates changes what is wrong with it.
const (
	Create         Write = "create"
	UpdateSpec     Write = "spec update"
	UpdateMetadata Write = "metadata update" // of labels, annotations, owners and finalizers
	UpdateStatus   Write = "status update"
)

// Writes are all ways.
var Writes = []Write{Create, UpdateSpec, UpdateMetadata, UpdateStatus}

// refusals are the ways to write an object at a version that the changed CRD refuses, and the current one does not, with what is wrong then.
func refusals(ctx context.Context, before, after *resource, u *unstructured.Unstructured, to string) (map[Write]problems, error) {
	at := to
	if before.versions[at] == nil {
		at = versionOf(u)
	}
	now, _, err := after.read(u, to)
	if err != nil {
		return nil, err
	}
	was, _, err := before.read(u, at)
	if err != nil {
		return nil, err
	}
	refused := map[Write]problems{}
	for _, w := range Writes {
		wrong := try(ctx, after.versions[to], now, w)
		if len(wrong) == 0 {
			continue
		}
		if wrong = wrong.without(try(ctx, before.versions[at], was, w)); len(wrong) > 0 {
			refused[w] = wrong
		}
	}
	return refused, nil
}

// changed is what an update sets, somewhere where it means nothing: a field that no schema knows is not judged.
const changed = "crdctl.dev/changed"

// try is what the API server has against a write of a stored object.
func try(ctx context.Context, v *write.Version, stored map[string]any, w Write) problems {
	stored = runtime.DeepCopyJSON(stored)
	if metadata, ok := stored["metadata"].(map[string]any); ok && metadata["resourceVersion"] == nil {
		metadata["resourceVersion"] = "1" // an object that comes from a file
	}
	object := runtime.DeepCopyJSON(stored)
	set := func(name string) {
		if of, ok := object[name].(map[string]any); ok {
			of[changed] = "true"
		} else if object[name] == nil {
			object[name] = map[string]any{changed: "true"}
		}
	}
	judge := v.Update
	switch w {
	case Create:
		if v.HasStatus() {
			delete(object, "status") // as the server does
		}
		judge = func(ctx context.Context, object, _ map[string]any) (values, rules field.ErrorList) {
			return v.Create(ctx, object)
		}
	case UpdateSpec:
		if object["spec"] == nil {
			object[changed] = "true"
		} else {
			set("spec")
		}
	case UpdateMetadata:
		metadata, ok := object["metadata"].(map[string]any)
		if !ok {
			return nil
		}
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
		}
		annotations[changed] = "true"
		metadata["annotations"] = annotations
	case UpdateStatus:
		set("status")
		if v.HasStatus() {
			judge = v.UpdateStatus
		}
	}
	values, rules := judge(ctx, object, stored)
	return append(valuesOf(values), rulesOf(rules)...)
}

// locked reports whether a controller can no longer write an object at all.
func locked(writes []Write) bool {
	return slices.Contains(writes, UpdateMetadata) && slices.Contains(writes, UpdateStatus)
}

// Refused is a clause on the writes that are refused.
func Refused(writes []Write) string {
	var all []string
	for _, w := range writes {
		all = append(all, string(w))
	}
	switch {
	case locked(writes):
		return "every write is refused, finalizers and status included: the controller is locked out"
	case len(all) == 0:
		return "writes that change what is wrong are refused"
	}
	return "refused: " + strings.Join(all, ", ")
}
