// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"github.com/crdctl/crdctl/internal/trace"
)

// kinds are the built-in kinds, which have protobuf.
var kinds = sync.OnceValue(func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientscheme.AddToScheme, apiextv1.AddToScheme, apiregistrationv1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(scheme); err != nil {
			panic(fmt.Sprintf("register kinds: %v", err)) // two packages register one kind otherwise
		}
	}
	metav1.AddToGroupVersion(scheme, metav1.Unversioned)
	return scheme
})

// objectKinds are those of kinds that have the metadata of an object.
var objectKinds = sync.OnceValue(func() map[schema.GroupVersionKind]bool {
	all := map[schema.GroupVersionKind]bool{}
	for kind, typ := range kinds().AllKnownTypes() {
		all[kind] = reflect.PointerTo(typ).Implements(reflect.TypeFor[metav1.Object]())
	}
	return all
})

// typed decodes a message of protobuf.
func (e encoded) typed() (runtime.Object, error) {
	kind := schema.FromAPIVersionAndKind(e.apiVersion, e.kind)
	o, err := kinds().New(kind)
	if err != nil {
		return nil, err
	}
	message, ok := o.(interface{ Unmarshal(content []byte) error })
	if !ok {
		return nil, fmt.Errorf("%s has no protobuf", kind)
	}
	if err := message.Unmarshal(e.raw); err != nil {
		return nil, err
	}
	o.GetObjectKind().SetGroupVersionKind(kind)
	return o, nil
}

var (
	protobufMagic = []byte("k8s\x00")
	errNoProtobuf = errors.New("an object in protobuf was expected")
)

// The numbers of fields in the messages of all objects. Those of a list are others.
const (
	metadataField = 1

	nameField            = 1
	namespaceField       = 3
	uidField             = 5
	resourceVersionField = 6
	generationField      = 7
	deletionField        = 9
	gracePeriodField     = 10
	ownersField          = 13
	finalizersField      = 14
	managedFieldsField   = 17
)

// decodeProtobuf reads no more of an object than its head.
func decodeProtobuf(content []byte) (*object, error) {
	message, found := bytes.CutPrefix(content, protobufMagic)
	if !found {
		return nil, errNoProtobuf
	}
	o := &object{protobuf: true}
	if err := o.open(message); err != nil {
		return nil, err
	}
	if objectKinds()[schema.FromAPIVersionAndKind(o.APIVersion, o.Kind)] {
		return o, o.metadata(o.raw)
	}
	typed, err := o.encoding().typed()
	if err != nil {
		return nil, err
	}
	switch t := typed.(type) {
	case *metav1.Status:
		o.Code, o.Reason, o.Message = int(t.Code), string(t.Reason), t.Message
		if t.Details != nil {
			o.Details.UID = string(t.Details.UID)
		}
	case metav1.ListInterface:
		o.Metadata.ResourceVersion = t.GetResourceVersion()
	}
	return o, nil
}

// open reads a runtime.Unknown, which has the kind of a message, and the message.
func (o *object) open(envelope []byte) error {
	return eachField(envelope, func(f field) error {
		switch f.number {
		case 1:
			var kind runtime.TypeMeta
			err := kind.Unmarshal(f.content)
			o.APIVersion, o.Kind = kind.APIVersion, kind.Kind
			return err
		case 2:
			o.raw = f.content
		}
		return nil
	})
}

// metadata reads the metadata of an object in protobuf.
func (h *head) metadata(message []byte) error {
	m := &h.Metadata
	return eachField(message, func(f field) error {
		if f.number != metadataField {
			return nil
		}
		return eachField(f.content, func(f field) error {
			switch f.number {
			case nameField:
				m.Name = string(f.content)
			case namespaceField:
				m.Namespace = string(f.content)
			case uidField:
				m.UID = string(f.content)
			case resourceVersionField:
				m.ResourceVersion = string(f.content)
			case generationField:
				m.Generation = f.integer
			case deletionField:
				var at metav1.Time
				if err := at.Unmarshal(f.content); err != nil {
					return err
				}
				m.DeletionTimestamp = at.UTC().Format(time.RFC3339)
			case gracePeriodField:
				seconds := f.integer
				m.DeletionGracePeriodSeconds = &seconds
			case ownersField:
				var o metav1.OwnerReference
				if err := o.Unmarshal(f.content); err != nil {
					return err
				}
				m.Owners = append(m.Owners, trace.Owner{APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Name, UID: string(o.UID), Controller: o.Controller != nil && *o.Controller})
			case finalizersField:
				m.Finalizers = append(m.Finalizers, string(f.content))
			}
			return nil
		})
	})
}

// field is a field of a message of protobuf.
type field struct {
	number  protowire.Number
	tag     []byte
	all     []byte // with the tag
	content []byte // of a text or a message
	integer int64
}

func eachField(message []byte, do func(field) error) error {
	for len(message) > 0 {
		number, typ, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return protowire.ParseError(tag)
		}
		length := protowire.ConsumeFieldValue(number, typ, message[tag:])
		if length < 0 {
			return protowire.ParseError(length)
		}
		f := field{number: number, tag: message[:tag], all: message[:tag+length]}
		switch typ {
		case protowire.BytesType:
			f.content, _ = protowire.ConsumeBytes(message[tag:])
		case protowire.VarintType:
			value, _ := protowire.ConsumeVarint(message[tag:])
			f.integer = int64(value)
		}
		if err := do(f); err != nil {
			return err
		}
		message = message[tag+length:]
	}
	return nil
}
