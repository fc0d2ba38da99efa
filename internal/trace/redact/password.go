// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"maps"
	"slices"
)

// passwords are the fields of format password, by the resource and by the kind of their objects.
type passwords struct {
	byResource map[Target]*field
	byKind     map[groupKind]*field
}

type groupKind struct{ group, kind string }

// field is a field that is a password, or has some in it.
type field struct {
	password bool
	fields   map[string]*field
	each     *field // of the items of an array, or the values of a map
}

func (f *field) child(name string) *field {
	switch {
	case f == nil:
		return nil
	case f.fields[name] != nil:
		return f.fields[name]
	}
	return f.each
}

// Learn reads the definition of a custom resource: what has the format password in one of its versions is redacted in
// all of them from now on. Anything else is ignored.
func (r *Redactor) Learn(crd any) {
	spec := object(object(crd)["spec"])
	group, _ := spec["group"].(string)
	resource, _ := object(spec["names"])["plural"].(string)
	kind, _ := object(spec["names"])["kind"].(string)
	versions, _ := spec["versions"].([]any)
	var found *field
	for _, v := range versions {
		found = merge(found, passwordsOf(object(object(object(v)["schema"])["openAPIV3Schema"])))
	}
	if found == nil {
		return
	}
	r.learning.Lock()
	defer r.learning.Unlock()
	old := r.passwords.Load()
	p := &passwords{byResource: map[Target]*field{}, byKind: map[groupKind]*field{}}
	maps.Copy(p.byResource, old.byResource)
	maps.Copy(p.byKind, old.byKind)
	t, k := Target{Group: group, Resource: resource}, groupKind{group, kind}
	p.byResource[t], p.byKind[k] = merge(p.byResource[t], found), merge(p.byKind[k], found)
	r.passwords.Store(p)
	if len(old.byKind) == 0 { // a controller repeats in its log what the API server answered
		texts := append(slices.Clone(*r.texts.Load()), replacement{hints(" value: "), func(b []byte) []byte { return r.quotes(b, true) }})
		r.texts.Store(&texts)
	}
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// passwordsOf returns the passwords of a schema, or nil if it has none.
func passwordsOf(schema map[string]any) *field {
	if schema == nil {
		return nil
	}
	f := field{password: schema["format"] == "password"}
	for name, s := range object(schema["properties"]) {
		if child := passwordsOf(object(s)); child != nil {
			if f.fields == nil {
				f.fields = map[string]*field{}
			}
			f.fields[name] = child
		}
	}
	f.each = merge(passwordsOf(object(schema["items"])), passwordsOf(object(schema["additionalProperties"])))
	if !f.password && f.fields == nil && f.each == nil {
		return nil
	}
	return &f
}

// merge returns a field with the passwords of both, and changes neither.
func merge(a, b *field) *field {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	f := field{password: a.password || b.password, each: merge(a.each, b.each), fields: map[string]*field{}}
	maps.Copy(f.fields, a.fields)
	for name, child := range b.fields {
		f.fields[name] = merge(f.fields[name], child)
	}
	return &f
}

// apply redacts the passwords in v.
func (w *walker) apply(f *field, v any) {
	if f == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			if c := f.child(name); c != nil && c.password {
				w.hide(v, name)
			} else if c != nil {
				w.apply(c, e)
			}
		}
	case []any:
		if f.each != nil && f.each.password {
			for i := range v {
				v[i], w.changed = w.r.hidden(v[i]), true
			}
			return
		}
		for _, e := range v {
			w.apply(f.each, e)
		}
	}
}

// mayQuote reports whether the API server's messages about an object of t may quote something that is redacted.
func (r *Redactor) mayQuote(t Target) bool {
	if t == (Target{}) {
		return len(r.passwords.Load().byKind) > 0 // of some kind
	}
	return t.Dropped() || t.hasData(r) || r.passwords.Load().byResource[Target{Group: t.Group, Resource: t.Resource}] != nil
}
