// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"iter"
	"slices"

	"github.com/crdctl/crdctl/internal/trace"
)

// Object is an object with the versions and deliveries that are held.
type Object struct {
	*trace.Object

	Versions   []*Version  // by RV
	Deliveries []*Delivery // by T, of all watches
	Deleted    bool

	resource *trace.Resource
	handed   map[uint64][]*Delivery // of Deliveries, by RV
	base     state                  // before the first of Versions
	answered map[uint64]*Request
	owners   []string // UIDs, as in Model.owned
	size     int64    // of its definition
}

// Version is a version of an object.
type Version struct {
	*trace.Version

	Seq, T  int64
	Object  *Object
	Request *Request // that wrote it; nil if it was not seen
	Writer  Link     // how Request is known
}

// Delivery is a version that a watch handed over to its client.
type Delivery struct {
	*trace.Event

	Seq, T int64
}

// Earliest is from when on the client can have acted on it.
func (d *Delivery) Earliest() int64 { return cmp.Or(d.Began, d.T) }

// Key is the name of the object as a work queue has it: NAMESPACE/NAME, or NAME.
func (o *Object) Key() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// Resource is the object's resource.
func (o *Object) Resource() *trace.Resource { return o.resource }

// Kind is the kind of the object, or the name of its resource if the kind is not known.
func (o *Object) Kind() string { return cmp.Or(o.resource.Kind, o.resource.Resource) }

// String is the object in a sentence, as "CronTab default/x".
func (o *Object) String() string {
	if o.Kind() == "" {
		return o.Key()
	}
	return o.Kind() + " " + o.Key()
}

// Newest is the newest version, or nil.
func (o *Object) Newest() *Version {
	if len(o.Versions) == 0 {
		return nil
	}
	return o.Versions[len(o.Versions)-1]
}

// At returns the version with a resource version, or nil.
func (o *Object) At(rv uint64) *Version {
	if i, ok := o.find(rv); ok {
		return o.Versions[i]
	}
	return nil
}

// After returns the first version after a resource version, or nil.
func (o *Object) After(rv uint64) *Version {
	i, ok := o.find(rv)
	if ok {
		i++
	}
	if i >= len(o.Versions) {
		return nil
	}
	return o.Versions[i]
}

func (o *Object) find(rv uint64) (int, bool) {
	return slices.BinarySearchFunc(o.Versions, rv, func(v *Version, rv uint64) int { return cmp.Compare(v.RV, rv) })
}

// Controller is the owner reference with controller: true of the newest version, or nil.
func (o *Object) Controller() *trace.Owner {
	v := o.Newest()
	if v == nil {
		return nil
	}
	for i, owner := range v.Owners {
		if owner.Controller {
			return &v.Owners[i]
		}
	}
	return nil
}

func (m *Model) defineObject(d *trace.Object, size int64) {
	o := &Object{Object: d, resource: m.Resource(d.Resource), size: size}
	if m.objects[d.ID] = o; len(m.ordered) > 0 && m.ordered[len(m.ordered)-1].ID < d.ID {
		m.ordered = append(m.ordered, o)
	} else {
		m.ordered = nil
	}
	m.byUID[d.UID] = o
	m.byName[nameOf(o)] = o
	m.nameReconciles(o)
}

func nameOf(o *Object) name {
	return name{resource: GroupResource(o.resource), namespace: o.Namespace, is: o.Name}
}

// GroupResource is the resource without its version, as "deployments.apps".
func GroupResource(r *trace.Resource) string {
	if r.Group == "" {
		return r.Resource
	}
	return r.Resource + "." + r.Group
}

// Object returns an object, or nil if it is not defined.
func (m *Model) Object(id trace.ObjectID) *Object { return m.objects[id] }

// Objects yields all objects that were not forgotten, deleted ones too.
func (m *Model) Objects() iter.Seq[*Object] {
	if m.ordered == nil {
		m.ordered = slices.Collect(values(m.objects))
	}
	return slices.Values(m.ordered)
}

// ByUID returns the object with a UID, or nil.
func (m *Model) ByUID(uid string) *Object { return m.byUID[uid] }

// ByName returns the newest object with a name, or nil. The resource is as GroupResource returns it.
func (m *Model) ByName(resource, namespace, is string) *Object {
	return m.byName[name{resource: resource, namespace: namespace, is: is}]
}

func (m *Model) addVersion(r trace.Record, b *trace.Version) {
	o := m.objects[b.Object]
	if o == nil {
		return // the recording has no definition of it
	}
	v := &Version{Version: b, Seq: r.Seq, T: r.T, Object: o, Writer: unknown}
	i, ok := o.find(b.RV)
	if ok {
		return
	}
	o.Versions = slices.Insert(o.Versions, i, v)
	if b.Type == "DELETED" {
		o.Deleted = true
	}
	if o.Newest() == v {
		m.own(o)
	}
	switch {
	case b.By != "":
		if request := m.requests[b.By]; request != nil {
			m.join(v, request, v.recordedWriter(request))
		} else {
			m.awaited[b.By] = v
		}
	case o.answered[b.RV] != nil:
		m.join(v, o.answered[b.RV], certainly("the request's answer has this version"))
		delete(o.answered, b.RV)
	case b.Type == "DELETED":
		m.inferDelete(v)
	}
}

// recordedWriter is how the recorder knows which request made the version.
func (v *Version) recordedWriter(r *Request) Link {
	switch {
	case v.Guessed:
		return likely("it was sent before, and no answer of another request has this version")
	case r.shared && r.RVOut != v.RV:
		return likely("it is the newest request with this ID, which others have, too")
	}
	return certainly("the request's answer has this version")
}

// own notes whose an object is.
func (m *Model) own(o *Object) {
	owners := o.Newest().Owners
	for _, uid := range o.owners {
		if !slices.ContainsFunc(owners, func(w trace.Owner) bool { return w.UID == uid }) {
			m.disown(o, uid)
		}
	}
	for _, w := range owners {
		if !slices.Contains(o.owners, w.UID) {
			o.owners = append(o.owners, w.UID)
			m.owned[w.UID] = append(m.owned[w.UID], o)
		}
	}
}

func (m *Model) disown(o *Object, uid string) {
	o.owners = slices.DeleteFunc(slices.Clone(o.owners), func(u string) bool { return u == uid })
	m.owned[uid] = slices.DeleteFunc(m.owned[uid], func(a *Object) bool { return a == o })
	if len(m.owned[uid]) == 0 {
		delete(m.owned, uid)
	}
}

// Owned returns the objects that name o as an owner, deleted ones too. The caller must not change the slice.
func (m *Model) Owned(o *Object) []*Object { return m.owned[o.UID] }

// join links a version and the request that wrote it.
func (m *Model) join(v *Version, r *Request, l Link) {
	v.Request, v.Writer = r, l
	r.Version = v
}

func (m *Model) forgetVersions(id trace.ObjectID, before int64) {
	o := m.objects[id]
	if o == nil {
		return
	}
	n := 0
	for n < len(o.Versions) && o.Versions[n].Seq < before && (o.Deleted || n < len(o.Versions)-1) {
		o.base.fold(o.Versions[n])
		delete(m.awaited, o.Versions[n].By)
		n++
	}
	o.Versions = keepTail(o.Versions, n)
	if len(o.Versions) > 0 || !o.Deleted {
		return
	}
	for _, uid := range o.owners {
		m.disown(o, uid)
	}
	delete(m.objects, id)
	m.defined -= o.size
	m.ordered = nil
	delete(m.byUID, o.UID)
	if m.byName[nameOf(o)] == o {
		delete(m.byName, nameOf(o))
	}
}

func (m *Model) forgetDeliveries(id trace.ObjectID, before int64) {
	if o := m.objects[id]; o != nil {
		n := 0
		for n < len(o.Deliveries) && o.Deliveries[n].Seq < before {
			d := o.Deliveries[n]
			if o.handed[d.RV] = slices.DeleteFunc(o.handed[d.RV], func(e *Delivery) bool { return e == d }); len(o.handed[d.RV]) == 0 {
				delete(o.handed, d.RV)
			}
			n++
		}
		o.Deliveries = keepTail(o.Deliveries, n)
	}
}
