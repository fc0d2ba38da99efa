// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"strconv"
	"sync"
	"time"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/yaml"
)

const (
	typeJSON     = "application/json"
	typeProtobuf = "application/vnd.kubernetes.protobuf"
)

var errUnread = errors.New("content type is not read")

// deserializer reads protobuf of the built-in kinds, without defaults or conversions.
var deserializer = sync.OnceValue(func() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientscheme.AddToScheme, apiextv1.AddToScheme, apiregistrationv1.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(scheme); err != nil {
			panic(fmt.Sprintf("register kinds: %v", err)) // two packages register one kind otherwise
		}
	}
	metav1.AddToGroupVersion(scheme, metav1.Unversioned)
	return serializer.NewCodecFactory(scheme).UniversalDeserializer()
})

// head is what every object has, and a little more of a Status.
type head struct {
	APIVersion string
	Kind       string
	Metadata   struct {
		UID             string
		Name            string
		Namespace       string
		ResourceVersion string

		DeletionTimestamp          string
		DeletionGracePeriodSeconds *int64
		Finalizers                 []string
	}
	Code    int
	Reason  string
	Message string
	Details struct {
		UID string
	}
}

// rv is the resource version, or 0.
func (h *head) rv() uint64 { return number(h.Metadata.ResourceVersion) }

// gone reports whether the object is one that nothing holds any more, so that the answer to a write shows its end.
func (h *head) gone() bool {
	m := &h.Metadata
	return m.DeletionTimestamp != "" && len(m.Finalizers) == 0 && (m.DeletionGracePeriodSeconds == nil || *m.DeletionGracePeriodSeconds == 0)
}

// partial reports whether the object is metadata only.
func (h *head) partial() bool { return h.Kind == "PartialObjectMetadata" }

func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 64) // 0 for what is not a number
	return n
}

// object is an encoded object of which no more is decoded than is asked for.
type object struct {
	head
	raw   []byte         // JSON
	typed runtime.Object // of protobuf

	prepared map[string]any // see Options.prepared
	done     bool
}

// decode reads an answer, or what was sent.
func decode(contentType, encoding string, content []byte) (*object, error) {
	if encoding == "gzip" {
		var err error
		if content, err = gunzip(content); err != nil {
			return nil, err
		}
	}
	if len(content) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType = contentType
	}
	switch mediaType {
	case typeProtobuf:
		return decodeProtobuf(content)
	case "application/yaml", "application/apply-patch+yaml":
		if content, err = yaml.YAMLToJSON(content); err != nil {
			return nil, err
		}
	case typeJSON, "application/merge-patch+json", "application/strategic-merge-patch+json", "":
	default:
		return nil, errUnread
	}
	return decodeJSON(content)
}

func decodeJSON(content []byte) (*object, error) {
	o := &object{raw: content}
	if err := newScanner(content).head(&o.head); err != nil {
		return nil, err
	}
	return o, nil
}

func decodeProtobuf(content []byte) (*object, error) {
	typed, kind, err := deserializer().Decode(content, nil, nil)
	if err != nil {
		return nil, err
	}
	o := &object{typed: typed}
	o.Kind, o.APIVersion = kind.Kind, kind.GroupVersion().String()
	typed.GetObjectKind().SetGroupVersionKind(*kind)
	switch t := typed.(type) {
	case *metav1.Status:
		o.Code, o.Reason, o.Message = int(t.Code), string(t.Reason), t.Message
		if t.Details != nil {
			o.Details.UID = string(t.Details.UID)
		}
	case metav1.ListInterface:
		o.Metadata.ResourceVersion = t.GetResourceVersion()
	case metav1.Object:
		m := &o.Metadata
		m.UID, m.Name, m.Namespace, m.ResourceVersion = string(t.GetUID()), t.GetName(), t.GetNamespace(), t.GetResourceVersion()
		m.Finalizers, m.DeletionGracePeriodSeconds = t.GetFinalizers(), t.GetDeletionGracePeriodSeconds()
		if at := t.GetDeletionTimestamp(); at != nil {
			m.DeletionTimestamp = at.UTC().Format(time.RFC3339)
		}
	}
	return o, nil
}

// fields returns the whole object, of JSON without managedFields.
func (o *object) fields() (map[string]any, error) {
	if o.typed != nil {
		return runtime.DefaultUnstructuredConverter.ToUnstructured(o.typed)
	}
	return fieldsOf(o.raw)
}

// uids returns the UIDs of the objects in a list.
func (o *object) uids() (all []string) {
	if o.typed != nil {
		_ = meta.EachListItem(o.typed, func(item runtime.Object) error { // of what is not a list there are none
			if m, ok := item.(metav1.Object); ok {
				all = append(all, string(m.GetUID()))
			}
			return nil
		})
		return all
	}
	var list struct{ Items []head }
	_ = json.Unmarshal(o.raw, &list) // it was read before
	for _, item := range list.Items {
		all = append(all, item.Metadata.UID)
	}
	return all
}

// items is how many objects a list has, or rows if it is a table of kubectl's.
func (o *object) items() int {
	if o.typed != nil {
		return meta.LenList(o.typed)
	}
	var list struct{ Items, Rows []struct{} }
	_ = json.Unmarshal(o.raw, &list) // it was read before
	return max(len(list.Items), len(list.Rows))
}

// gunzip unpacks what may be several members, the last of which may not have ended.
func gunzip(content []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(r)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return all, err
}
