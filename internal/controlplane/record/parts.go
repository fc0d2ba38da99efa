// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/runtime"
)

// encoded is an object as it was sent: JSON, or a message of protobuf.
type encoded struct {
	apiVersion, kind string
	raw              []byte
	protobuf         bool
}

// parts are the fields of an object, and those of its metadata, each as it is encoded, without what no version is compared by. What is encoded
// alike in two versions need not be decoded, and that is nearly all of most objects.
type parts struct{ root, metadata []part }

func (p parts) empty() bool { return len(p.root)+len(p.metadata) == 0 }

// part is a field: in JSON its name and its value, in protobuf its tag and all of it.
type part struct{ name, value []byte }

// split finds the parts. It takes the memory of others, which are not used any more.
func (e encoded) split(unused parts) (p parts, err error) {
	p = parts{unused.root[:0], unused.metadata[:0]}
	if e.protobuf {
		err = eachField(e.raw, func(f field) error {
			if f.number != metadataField {
				p.root = appendPart(p.root, f)
				return nil
			}
			return eachField(f.content, func(f field) error {
				if f.number != resourceVersionField && f.number != managedFieldsField {
					p.metadata = appendPart(p.metadata, f)
				}
				return nil
			})
		})
		return p, err
	}
	s := newScanner(e.raw)
	defer s.free()
	if s.PeekKind() != '{' {
		return p, errNoObject
	}
	value := func(of *[]part, name []byte) error {
		v, err := s.raw()
		*of = append(*of, part{name, v})
		return err
	}
	err = s.object(func(name []byte) error {
		if string(name) != `"metadata"` || s.PeekKind() != '{' {
			return value(&p.root, name)
		}
		return s.object(func(name []byte) error {
			if string(name) == `"managedFields"` || string(name) == `"resourceVersion"` {
				return s.SkipValue()
			}
			return value(&p.metadata, name)
		})
	})
	return p, err
}

// appendPart appends a field of a message. The elements of a list are fields that follow each other, and are one part.
func appendPart(all []part, f field) []part {
	n := len(all) - 1
	if n < 0 || !bytes.Equal(all[n].name, f.tag) {
		return append(all, part{f.tag, f.all})
	}
	before, length := all[n].value, len(all[n].value)
	// Both are of one message, in which they follow each other: nothing is copied then.
	if cap(before) > length && &before[:length+1][length] == &f.all[0] {
		all[n].value = before[:length+len(f.all)]
	} else {
		all[n].value = append(slices.Clip(before), f.all...)
	}
	return all
}

// join encodes an object that has these parts.
func (e encoded) join(p parts) encoded {
	size := 32
	for _, of := range [][]part{p.root, p.metadata} {
		for _, f := range of {
			size += len(f.name) + len(f.value) + len(`:,`)
		}
	}
	out := make([]byte, 0, size)
	if e.protobuf {
		metadata := 0
		for _, f := range p.metadata {
			metadata += len(f.value)
		}
		out = protowire.AppendVarint(protowire.AppendTag(out, metadataField, protowire.BytesType), uint64(metadata))
		for _, of := range [][]part{p.metadata, p.root} {
			for _, f := range of {
				out = append(out, f.value...)
			}
		}
		e.raw = out
		return e
	}
	out = appendMembers(append(out, '{'), p.root)
	if len(p.metadata) > 0 {
		if len(p.root) > 0 {
			out = append(out, ',')
		}
		out = append(appendMembers(append(out, `"metadata":{`...), p.metadata), '}')
	}
	e.raw = append(out, '}')
	return e
}

func appendMembers(out []byte, of []part) []byte {
	for i, f := range of {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, f.name...), ':'), f.value...)
	}
	return out
}

// unlike returns the parts of two objects that are not encoded alike, and names: by its name it is known whether the value next to it is secret.
func unlike(before, after parts) (b, a parts) {
	b.root, a.root = unlikeOf(before.root, after.root)
	b.metadata, a.metadata = unlikeOf(before.metadata, after.metadata)
	return b, a
}

func unlikeOf(before, after []part) (b, a []part) {
	for i, f := range before {
		other := find(after, f.name, i)
		if other != nil && bytes.Equal(other.value, f.value) && string(f.name) != `"name"` {
			continue
		}
		if b = append(b, f); other != nil {
			a = append(a, *other)
		}
	}
	for i, f := range after {
		if find(before, f.name, i) == nil {
			a = append(a, f)
		}
	}
	return b, a
}

// find returns the part with a name, which is probably at an index.
func find(all []part, name []byte, at int) *part {
	if at < len(all) && bytes.Equal(all[at].name, name) {
		return &all[at]
	}
	for i := range all {
		if bytes.Equal(all[i].name, name) {
			return &all[i]
		}
	}
	return nil
}

// fields decodes the object.
func (e encoded) fields() (map[string]any, error) {
	if !e.protobuf {
		return fieldsOf(e.raw)
	}
	typed, err := e.typed()
	if err != nil {
		return nil, err
	}
	return runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
}
