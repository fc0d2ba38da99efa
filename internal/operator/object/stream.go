// SPDX-License-Identifier: Apache-2.0

package object

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// List is a list of objects, in the form that client-go's reflector takes.
type List struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []runtime.Object
}

// DeepCopyObject implements runtime.Object.
func (l *List) DeepCopyObject() runtime.Object {
	copied := *l
	copied.Items = append([]runtime.Object(nil), l.Items...)
	return &copied
}

// List reads a whole list, object by object: at no time is all of the text in memory.
func (d *Decoder) List() (*List, error) {
	list := &List{}
	if err := d.open('{'); err != nil {
		return nil, whole(err)
	}
	err := d.fields(func(name []byte) error {
		switch string(name) {
		case `"metadata"`:
			value, err := d.in.ReadValue()
			if err != nil {
				return err
			}
			return json.Unmarshal(value, &list.ListMeta)
		case `"items"`:
			return d.items(list)
		}
		return d.in.SkipValue()
	})
	return list, whole(err)
}

func (d *Decoder) items(list *List) error {
	if d.in.PeekKind() == 'n' {
		return d.in.SkipValue()
	}
	if err := d.open('['); err != nil {
		return err
	}
	for d.in.PeekKind() != ']' {
		o, err := d.object() // an item that is not an object, and the end of what was sent, are its errors
		if err != nil {
			return err
		}
		if o.flags&foreign == 0 {
			list.Items = append(list.Items, o)
		}
	}
	_, err := d.in.ReadToken()
	return err
}

// Event reads the next event of a watch. The error is io.EOF at its end, also where a connection was cut: what was sent
// after the last whole event will be sent again.
func (d *Decoder) Event() (watch.Event, error) {
	var event watch.Event
	if d.in.PeekKind() == 0 {
		_, err := d.in.ReadToken()
		return event, err
	}
	if err := d.open('{'); err != nil {
		return event, err
	}
	err := d.fields(func(name []byte) (err error) {
		switch string(name) {
		case `"type"`:
			var kind []byte
			kind, err = d.in.ReadValue()
			event.Type = eventType(kind)
		case `"object"`:
			event.Object, err = d.eventObject(event.Type)
		default:
			err = d.in.SkipValue()
		}
		return err
	})
	if err != nil {
		return event, err
	}
	if o, ok := event.Object.(*Object); ok && o.flags&foreign != 0 && event.Type != watch.Bookmark {
		event.Type = watch.Deleted // it may have been ours until now
	}
	if event.Object == nil {
		return event, fmt.Errorf("the API server sent an event of type %q without an object", event.Type)
	}
	return event, nil
}

// eventType does not allocate for those that there are.
func eventType(quoted []byte) watch.EventType {
	switch string(quoted) {
	case `"ADDED"`:
		return watch.Added
	case `"MODIFIED"`:
		return watch.Modified
	case `"DELETED"`:
		return watch.Deleted
	case `"BOOKMARK"`:
		return watch.Bookmark
	case `"ERROR"`:
		return watch.Error
	}
	return watch.EventType(quoted)
}

func (d *Decoder) eventObject(of watch.EventType) (runtime.Object, error) {
	switch of {
	case watch.Error:
		value, err := d.in.ReadValue()
		if err != nil {
			return nil, err
		}
		status := &metav1.Status{}
		return status, json.Unmarshal(value, status)
	case "": // the type comes first from every API server there is
		return nil, errors.New("the API server sent an event's object before its type")
	}
	return d.object()
}

// errTruncated is the error of a stream that ends within an object.
var errTruncated = errors.New("the API server's answer ends in the middle")

// whole turns the end of a stream into an error that says what is wrong with it.
func whole(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}
