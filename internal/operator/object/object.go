// SPDX-License-Identifier: Apache-2.0

// Package object is how the loop keeps the objects of an API server in memory: as compact JSON, with the few fields that
// a loop itself looks at next to it.
//
// A decoded object (unstructured) takes 4 to 10 KB for 1.5 KB of JSON, and a typed one 2.7 KB; the text without what
// is not read takes less than the object on the wire, and goes into a hook's request as it is. The decoder reads lists and
// watches in one pass, straight from the connection. The package knows no client, and does not decide what is kept.
package object

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// Object is one object as it was last seen. It is shared by all who read the cache, and never changes.
type Object struct {
	// text is the object's JSON from its first field on, without braces, apiVersion and kind. Of a bare object, it is the
	// parts below and nothing else.
	text string
	identity
	form *Form
	// generation is metadata.generation; 0 for kinds that have none.
	generation int64
	flags      flags
}

// identity is where in the text the fields are that tell objects and versions apart: strings of their own, or even
// headers of strings, would be a tenth of an object's memory.
type identity struct {
	namespace, name, uid, version place
	// owner and ownerName are the UID and the name of the controller among the owner references.
	owner, ownerName place
}

// place is a part of a text, from and to.
type place [2]uint32

func (p place) in(text string) string { return text[p[0]:p[1]] }

type flags uint8

const (
	deleting flags = 1 << iota
	// listEnd marks the bookmark that ends the initial events of a streamed list.
	listEnd
	// bare marks an object of which only the identity was kept.
	bare
	// foreign marks an object whose owner was not asked for.
	foreign
)

// Form is what all objects of a kind share.
type Form struct {
	APIVersion, Kind string
}

// Namespace is metadata.namespace, "" for what is cluster-scoped.
func (o *Object) Namespace() string { return o.namespace.in(o.text) }

// Name is metadata.name.
func (o *Object) Name() string { return o.name.in(o.text) }

// UID is metadata.uid.
func (o *Object) UID() types.UID { return types.UID(o.uid.in(o.text)) }

// ResourceVersion is metadata.resourceVersion.
func (o *Object) ResourceVersion() string { return o.version.in(o.text) }

// Generation is metadata.generation, 0 where the kind has none.
func (o *Object) Generation() int64 { return o.generation }

// Deleting tells that a deletion was requested.
func (o *Object) Deleting() bool { return o.flags&deleting != 0 }

// Owner is the UID of the object that controls this one, "" if none does.
func (o *Object) Owner() types.UID { return types.UID(o.owner.in(o.text)) }

// OwnerName is the name of the object that controls this one.
func (o *Object) OwnerName() string { return o.ownerName.in(o.text) }

// APIVersion and Kind are those of the object's form.
func (o *Object) APIVersion() string { return o.form.APIVersion }

// Kind is the kind, in the singular and in camel case.
func (o *Object) Kind() string { return o.form.Kind }

// Key is the namespace and name.
func (o *Object) Key() cache.ObjectName {
	return cache.ObjectName{Namespace: o.Namespace(), Name: o.Name()}
}

// SameVersion tells that both are one version of one object. A re-created object may bear an old resourceVersion on an
// API server that is new and empty, so it also takes the UID.
func (o *Object) SameVersion(p *Object) bool {
	return o.ResourceVersion() == p.ResourceVersion() && o.UID() == p.UID()
}

// MetadataOnly is the object without its content: what tells versions apart. The text is given back to the collector.
func (o *Object) MetadataOnly() *Object {
	if o.flags&bare != 0 {
		return o
	}
	// One text for all of them: an allocation of its own for each would double the size.
	b := &Object{form: o.form, generation: o.generation, flags: o.flags | bare}
	var text []byte
	move := func(from place) place {
		start := len(text)
		text = append(text, from.in(o.text)...)
		return place{uint32(start), uint32(len(text))}
	}
	b.identity = identity{
		namespace: move(o.namespace), name: move(o.name), uid: move(o.uid), version: move(o.version),
		owner: move(o.owner), ownerName: move(o.ownerName),
	}
	b.text = string(text)
	return b
}

// IsMetadataOnly tells that only the identity is there; the content has to be read from the API server.
func (o *Object) IsMetadataOnly() bool { return o.flags&bare != 0 }

// AppendJSON appends the whole object as JSON, without what the decoder leaves out.
func (o *Object) AppendJSON(to []byte) []byte {
	to = append(to, `{"apiVersion":"`...)
	to = append(to, o.form.APIVersion...)
	to = append(to, `","kind":"`...)
	to = append(to, o.form.Kind...)
	to = append(to, '"')
	if o.text != "" && !o.IsMetadataOnly() {
		to = append(to, ',')
		to = append(to, o.text...)
	}
	return append(to, '}')
}

// MarshalJSON implements json.Marshaler.
func (o *Object) MarshalJSON() ([]byte, error) {
	return o.AppendJSON(make([]byte, 0, len(o.text)+96)), nil
}

// Content decodes the whole object into maps of the caller's own.
func (o *Object) Content() (map[string]any, error) {
	if o.IsMetadataOnly() {
		return nil, fmt.Errorf("decode %s %s: only its metadata is in the cache", o.Kind(), o.Key())
	}
	data, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	// apimachinery's decoder keeps integers whole, which encoding/json does not.
	decoded, err := decodeNumbers(data)
	if err != nil {
		return nil, fmt.Errorf("decode %s %s: %w", o.Kind(), o.Key(), err)
	}
	return decoded, nil
}

// Meta decodes the metadata, without what the decoder leaves out.
func (o *Object) Meta() (*metav1.ObjectMeta, error) {
	var whole struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if o.IsMetadataOnly() {
		return nil, fmt.Errorf("read the metadata of %s %s: it is not in the cache", o.Kind(), o.Key())
	}
	if err := json.Unmarshal([]byte("{"+o.text+"}"), &whole); err != nil {
		return nil, fmt.Errorf("read the metadata of %s %s: %w", o.Kind(), o.Key(), err)
	}
	return &whole.Metadata, nil
}

// What follows is for client-go's reflector, which asks each object it hands on for its key and version.
var (
	_ runtime.Object            = (*Object)(nil)
	_ metav1.ObjectMetaAccessor = (*Object)(nil)
)

// GetObjectMeta implements metav1.ObjectMetaAccessor.
func (o *Object) GetObjectMeta() metav1.Object {
	m := &metav1.ObjectMeta{Namespace: o.Namespace(), Name: o.Name(), UID: o.UID(), ResourceVersion: o.ResourceVersion(), Generation: o.generation}
	if o.flags&listEnd != 0 {
		m.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return m
}

// GetObjectKind implements runtime.Object.
func (o *Object) GetObjectKind() schema.ObjectKind {
	return &metav1.TypeMeta{APIVersion: o.form.APIVersion, Kind: o.form.Kind}
}

// DeepCopyObject implements runtime.Object. Objects never change, so one is as good as two.
func (o *Object) DeepCopyObject() runtime.Object { return o }
