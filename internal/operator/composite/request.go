// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"strconv"

	"github.com/crdctl/crdctl/internal/operator/object"
)

// observed is a child that there is.
type observed struct {
	kind   *children
	object *object.Object
}

// request is Metacontroller's: objects go into it as the API server sent them, and are not decoded on the way.
func (r *reconciler) request(parent *object.Object, all []observed, related []relatedKind, finalizing bool) []byte {
	b := append([]byte(`{"controller":`), r.controller...)
	b = parent.AppendJSON(append(b, `,"parent":`...))
	b = append(b, `,"children":{`...)
	for i := range r.children {
		kind := &r.children[i]
		b = appendGroup(b, i, kind.Served)
		first := true
		for _, o := range all {
			if o.kind == kind {
				b = appendObject(b, parent, o.object, first)
				first = false
			}
		}
		b = append(b, '}')
	}
	b = append(b, `},"related":{`...)
	for i, kind := range related {
		b = appendGroup(b, i, kind.served)
		for j, o := range kind.objects {
			b = appendObject(b, parent, o, j == 0)
		}
		b = append(b, '}')
	}
	b = append(b, `},"finalizing":`...)
	return append(strconv.AppendBool(b, finalizing), '}')
}

// appendGroup begins the objects of a kind, as in "Deployment.apps/v1":{.
func appendGroup(b []byte, i int, kind Served) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	b = append(append(b, '"'), kind.Kind...)
	b = append(append(b, '.'), kind.apiVersion()...)
	return append(b, `":{`...)
}

// appendObject appends an object under its name, which has the namespace before it where the parent has none. Names are a
// part of an object's JSON, and stand here as they stand there.
func appendObject(b []byte, parent, o *object.Object, first bool) []byte {
	if !first {
		b = append(b, ',')
	}
	b = append(b, '"')
	if parent.Namespace() == "" && o.Namespace() != "" {
		b = append(append(b, o.Namespace()...), '/')
	}
	b = append(append(b, o.Name()...), `":`...)
	return o.AppendJSON(b)
}
