// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"encoding/json"
	"slices"
	"strings"
)

// Target is the resource that a body is about, as in the path of its request. It is empty if that is not known.
type Target struct{ Group, Resource, Subresource string }

var (
	secrets    = Target{Resource: "secrets"}
	configMaps = Target{Resource: "configmaps"}
)

// Object redacts decoded JSON: an object, a list of objects, or a patch of any type. It changes v in place and returns
// it, or nil if nothing of it may be kept. Objects within it are redacted, too: those in the questions and answers of
// hooks, for example, for which t is empty. Definitions of custom resources are learned from.
func (r *Redactor) Object(t Target, v any) any {
	if t.Dropped() {
		return nil
	}
	if t.Group == "apiextensions.k8s.io" && t.Resource == "customresourcedefinitions" {
		r.Learn(v)
	}
	p := r.passwords.Load()
	w := walker{r: r, passwords: p}
	fields := p.byResource[Target{Group: t.Group, Resource: t.Resource}]
	switch v := v.(type) {
	case []any: // a JSON patch
		for _, op := range v {
			if op, ok := op.(map[string]any); ok {
				w.operation(t, fields, op)
			}
		}
	case map[string]any:
		w.object(t, fields, v)
	}
	return v
}

// Dropped reports whether nothing may be kept of the objects of t.
func (t Target) Dropped() bool {
	switch {
	case t.Group == "" && t.Resource == "serviceaccounts" && t.Subresource == "token":
	case t.Group == "authentication.k8s.io" && t.Resource == "tokenreviews":
	case t.Group == "certificates.k8s.io" && t.Resource == "certificatesigningrequests":
	default:
		return false
	}
	return true
}

// target returns the target that an object's kind stands for, as far as it matters here.
func target(m map[string]any) Target {
	kind, _ := m["kind"].(string)
	version, _ := m["apiVersion"].(string)
	switch strings.TrimSuffix(kind, "List") {
	case "Secret":
		if version == "v1" {
			return secrets
		}
	case "ConfigMap":
		if version == "v1" {
			return configMaps
		}
	case "TokenRequest", "TokenReview":
		if strings.HasPrefix(version, "authentication.k8s.io/") {
			return Target{Group: "authentication.k8s.io", Resource: "tokenreviews"}
		}
	case "CertificateSigningRequest":
		if strings.HasPrefix(version, "certificates.k8s.io/") {
			return Target{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}
		}
	}
	return Target{}
}

// walker redacts one body.
type walker struct {
	r         *Redactor
	passwords *passwords
	changed   bool
}

func (w *walker) hide(m map[string]any, key string) {
	if v, ok := m[key]; ok && v != nil {
		m[key], w.changed = w.r.hidden(v), true
	}
}

// object redacts an object of a known resource, or the list or the merge patch of such objects.
func (w *walker) object(t Target, fields *field, m map[string]any) {
	if items, ok := m["items"].([]any); ok && (t.hasData(w.r) || fields != nil) {
		for _, item := range items {
			if item, ok := item.(map[string]any); ok {
				w.object(t, fields, item)
			}
		}
	}
	if t.hasData(w.r) {
		w.data(m)
		return
	}
	w.apply(fields, m)
	w.any(m)
}

// hasData reports whether the objects of t have nothing else but data to hide.
func (t Target) hasData(r *Redactor) bool {
	return t.Group == "" && (t.Resource == secrets.Resource || t.Resource == configMaps.Resource && r.o.ConfigMaps)
}

// data redacts a Secret, or a ConfigMap.
func (w *walker) data(m map[string]any) {
	for _, key := range []string{"data", "stringData", "binaryData"} {
		values, ok := m[key].(map[string]any)
		if !ok {
			w.hide(m, key)
			continue
		}
		for name, v := range values {
			if key == "stringData" {
				values[name] = w.r.hidden(v)
			} else {
				values[name] = w.r.decoded(v)
			}
			w.changed = true
		}
	}
	meta, _ := m["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	for name, v := range annotations {
		if s, _ := v.(string); Copies(name) || strings.HasPrefix(strings.TrimSpace(s), "{") {
			w.hide(annotations, name)
		}
	}
}

// Copies reports whether the name is of an annotation in which clients keep what they applied.
func Copies(name string) bool {
	return strings.Contains(name, "last-applied") || strings.HasSuffix(name, "/original")
}

// any redacts JSON of any form by the names and kinds in it.
func (w *walker) any(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			w.any(e)
		}
	case map[string]any:
		if w.known(v) {
			return
		}
		if name, ok := v["name"].(string); ok && secretName(name) {
			w.hide(v, "value")
		}
		for key, e := range v {
			switch e := e.(type) {
			case []any:
				if key != "managedFields" {
					w.any(e)
				}
			case map[string]any:
				switch key {
				case "annotations":
					w.annotations(e)
				case "env", "environment", "envVars":
					w.environment(e)
				default:
					w.any(e)
				}
			}
		}
	}
}

// known redacts an object by its kind, and reports whether that was all of it.
func (w *walker) known(m map[string]any) bool {
	kind, ok := m["kind"].(string)
	if !ok {
		return false
	}
	t := target(m)
	switch {
	case t.hasData(w.r):
		if items, ok := m["items"].([]any); ok {
			for _, item := range items {
				if item, ok := item.(map[string]any); ok {
					w.data(item)
				}
			}
		}
		w.data(m)
		return true
	case t.Dropped():
		w.hide(m, "spec")
		w.hide(m, "status")
	case len(w.passwords.byKind) > 0:
		version, _ := m["apiVersion"].(string)
		group, _, _ := strings.Cut(version, "/")
		w.apply(w.passwords.byKind[groupKind{group, kind}], m)
	}
	return false
}

// annotations redacts the objects that are kept in annotations as JSON.
func (w *walker) annotations(m map[string]any) {
	for name, v := range m {
		s, ok := v.(string)
		if !ok || !Copies(name) {
			continue
		}
		inner := walker{r: w.r, passwords: w.passwords}
		var object map[string]any // what is not one is not a copy: nothing is known of it
		if err := json.Unmarshal([]byte(s), &object); err != nil {
			w.hide(m, name)
			continue
		}
		if inner.any(object); !inner.changed {
			continue
		}
		b, err := json.Marshal(object)
		if err != nil {
			w.hide(m, name)
			continue
		}
		m[name], w.changed = string(b), true
	}
}

func (w *walker) environment(m map[string]any) {
	for name, v := range m {
		if _, ok := v.(string); ok && secretName(name) {
			w.hide(m, name)
		}
	}
	w.any(m)
}

// operation redacts one operation of a JSON patch.
func (w *walker) operation(t Target, fields *field, op map[string]any) {
	path, _ := op["path"].(string)
	value, isObject := op["value"].(map[string]any)
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	switch last := len(segments) - 1; {
	case path == "" && isObject:
		w.object(t, fields, value)
		return
	case t.hasData(w.r):
		if !harmless(path) {
			w.hide(op, "value")
		}
		return
	case last >= 2 && segments[last] == "value" && segments[last-2] == "env": // its name is elsewhere
		w.hide(op, "value")
	case isObject && segments[last] == "annotations":
		w.annotations(value)
	case Copies(strings.ReplaceAll(segments[last], "~1", "/")):
		w.hide(op, "value")
	}
	f := fields
	for _, s := range segments {
		f = f.child(strings.NewReplacer("~1", "/", "~0", "~").Replace(s))
	}
	if f != nil && f.password {
		w.hide(op, "value")
	}
	w.apply(f, op["value"])
	w.any(op["value"])
}

// harmless reports whether nothing secret is at this path of a Secret.
func harmless(path string) bool {
	for _, p := range []string{"/metadata/labels", "/metadata/finalizers", "/metadata/ownerReferences", "/metadata/resourceVersion", "/type", "/immutable"} {
		if path == p || strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// secretName reports whether what has this name is probably a secret.
func secretName(name string) bool {
	return slices.ContainsFunc([]string{"PASSWORD", "TOKEN", "SECRET", "KEY"}, func(word string) bool { return containsFold(name, word) })
}

func containsFold(s, upper string) bool {
	for i := 0; i+len(upper) <= len(s); i++ {
		if s[i]&^0x20 == upper[0] && strings.EqualFold(s[i:i+len(upper)], upper) {
			return true
		}
	}
	return false
}
