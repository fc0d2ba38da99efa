// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crdctl/crdctl/internal/trace"
)

const (
	typeJSON     = "application/json"
	typeProtobuf = "application/vnd.kubernetes.protobuf"
)

var errUnread = errors.New("content type is not read")

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
		Generation                 int64
		Finalizers                 []string
		Owners                     []trace.Owner
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
	raw      []byte // JSON, or the message of protobuf
	protobuf bool
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
	s := newScanner(content)
	defer s.free()
	if err := s.head(&o.head); err != nil {
		return nil, err
	}
	return o, nil
}

// encoding is the object as it was sent.
func (o *object) encoding() encoded { return encoded{o.APIVersion, o.Kind, o.raw, o.protobuf} }

// uids returns the UIDs of the objects in a list.
func (o *object) uids() (all []string) {
	if o.protobuf {
		list, _ := o.encoding().typed()                               // it was read before
		_ = meta.EachListItem(list, func(item runtime.Object) error { // of what is not a list there are none
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
	if o.protobuf {
		list, _ := o.encoding().typed() // it was read before
		return meta.LenList(list)
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
