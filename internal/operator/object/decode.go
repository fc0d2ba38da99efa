// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// lenient leaves the checking of names and characters to the API server, which has done it: it is a third of the time.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

var (
	lastApplied   = []byte(corev1.LastAppliedConfigAnnotation)
	initialEvents = []byte(metav1.InitialEventsAnnotationKey)
)

// Decoder reads objects of one kind off a connection. It is for one reader at a time.
type Decoder struct {
	in   *jsontext.Decoder
	form *Form
	// keep is what becomes of a decoded object, Whole or Bare.
	keep Keep
	// owned reports whether an object with this controller is of interest; nil: all are.
	owned func(Owner) bool
	buf   []byte
}

// Owner is a reference to the controller of an object; the zero value stands for none.
type Owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Controller bool   `json:"controller"`
}

// Keep says how much of an object stays in memory.
type Keep uint8

const (
	// Whole keeps all but what is never read: managedFields, and kubectl's annotation of what was last applied.
	Whole Keep = iota
	// Identity keeps what tells versions apart, and the owner.
	Identity
)

// NewDecoder reads from r, which is not closed. Owned, if it is not nil, says of which controllers objects are wanted:
// lists leave the others out, and watches give them as deleted.
func NewDecoder(r io.Reader, form *Form, keep Keep, owned func(Owner) bool) *Decoder {
	return &Decoder{in: jsontext.NewDecoder(r, lenient...), form: form, keep: keep, owned: owned}
}

// Decode reads one object from JSON.
func Decode(data []byte, form *Form) (*Object, error) {
	d := NewDecoder(bytes.NewReader(data), form, Whole, nil)
	o, err := d.object()
	if err != nil {
		return nil, err
	}
	if _, err := d.in.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the JSON of %s %s has more text after its end", o.Kind(), o.Key())
	}
	return o, nil
}

// draft is what is known of an object while it is read.
type draft struct {
	identity
	generation int64
	flags      flags
	controller Owner
}

// object reads one object, from its opening brace on.
func (d *Decoder) object() (*Object, error) {
	if err := d.open('{'); err != nil {
		return nil, err
	}
	d.buf = d.buf[:0]
	var o draft
	err := d.fields(func(name []byte) error {
		switch string(name) {
		case `"apiVersion"`, `"kind"`:
			return d.in.SkipValue()
		case `"metadata"`:
			return d.metadata(&o)
		}
		if d.keep == Identity {
			return d.in.SkipValue()
		}
		d.field(name)
		return d.value()
	})
	if err != nil {
		return nil, err
	}
	if d.owned != nil && !d.owned(o.controller) {
		o.flags |= foreign
	}
	read := &Object{text: string(d.buf), identity: o.identity, form: d.form, generation: o.generation, flags: o.flags}
	if d.keep == Identity {
		return read.MetadataOnly(), nil
	}
	return read, nil
}

// open reads the token that begins an object or a list.
func (d *Decoder) open(kind jsontext.Kind) error {
	token, err := d.in.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != kind {
		return fmt.Errorf("the API server sent %s where %s was expected", token.Kind(), kind)
	}
	return nil
}

// fields reads the rest of an object that is open: a field by its name, in quotes, which is good until its value is read.
func (d *Decoder) fields(value func(name []byte) error) error {
	for d.in.PeekKind() == '"' {
		name, err := d.in.ReadValue()
		if err != nil {
			return err
		}
		if err := value(name); err != nil {
			return err
		}
	}
	_, err := d.in.ReadToken()
	return err
}

// field begins a field in the buffer.
func (d *Decoder) field(quoted []byte) {
	if n := len(d.buf); n > 0 && d.buf[n-1] != '{' {
		d.buf = append(d.buf, ',')
	}
	d.buf = append(append(d.buf, quoted...), ':')
}

// value copies the next value into the buffer.
func (d *Decoder) value() error {
	value, err := d.in.ReadValue()
	d.buf = append(d.buf, value...)
	return err
}

// text copies the next value, a string, and returns its place without quotes. UIDs, versions and most names have no
// characters that JSON escapes: the API server sees to that.
func (d *Decoder) text() (place, error) {
	p, err := d.nameText()
	if err == nil && bytes.IndexByte(d.buf[p[0]:p[1]], '\\') >= 0 {
		err = fmt.Errorf("the API server sent an object whose metadata has %s for a namespace, a UID or a version", d.buf[p[0]:p[1]])
	}
	return p, err
}

// nameText is text for the name of an object. A role may be named a&b or a"b, and a client that may create one must not keep all
// others from being read: the one is written without its escape, the other has it as a part of its name.
func (d *Decoder) nameText() (place, error) {
	from := len(d.buf)
	if err := d.value(); err != nil {
		return place{}, err
	}
	text := d.buf[from:]
	if len(text) < 2 || text[0] != '"' {
		return place{}, fmt.Errorf("the API server sent an object whose metadata has %s for a name, a UID or a version", text)
	}
	if bytes.IndexByte(text, '\\') >= 0 {
		plain, err := unescaped(text)
		if err != nil {
			return place{}, err
		}
		d.buf = append(d.buf[:from], plain...)
	}
	return place{uint32(from + 1), uint32(len(d.buf) - 1)}, nil
}

// unescaped is a JSON string without the escapes that it can do without.
func unescaped(quoted []byte) ([]byte, error) {
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return nil, err
	}
	return Compact(text)
}

func (d *Decoder) metadata(o *draft) error {
	if d.in.PeekKind() != '{' {
		return d.in.SkipValue() // null, as nothing
	}
	if err := d.open('{'); err != nil {
		return err
	}
	d.field([]byte(`"metadata"`))
	d.buf = append(d.buf, '{')
	err := d.fields(func(name []byte) error { return d.metadataField(string(name), o) })
	d.buf = append(d.buf, '}')
	return err
}

func (d *Decoder) metadataField(name string, o *draft) (err error) {
	switch name {
	case `"managedFields"`:
		return d.in.SkipValue()
	case `"annotations"`:
		return d.annotations(o)
	}
	d.field([]byte(name))
	from := len(d.buf)
	switch name {
	case `"name"`:
		o.name, err = d.nameText()
	case `"namespace"`:
		o.namespace, err = d.text()
	case `"uid"`:
		o.uid, err = d.text()
	case `"resourceVersion"`:
		o.version, err = d.text()
	case `"generation"`:
		if err = d.value(); err == nil {
			o.generation, err = strconv.ParseInt(string(d.buf[from:]), 10, 64)
		}
	case `"deletionTimestamp"`:
		err = d.value()
		if string(d.buf[from:]) != "null" {
			o.flags |= deleting
		}
	case `"ownerReferences"`:
		if err = d.value(); err == nil {
			err = d.owners(from, o)
		}
	default:
		err = d.value()
	}
	return err
}

// annotations copies all of them but kubectl's copy of the whole object.
func (d *Decoder) annotations(o *draft) error {
	value, err := d.in.ReadValue()
	if err != nil {
		return err
	}
	if bytes.Contains(value, initialEvents) {
		o.flags |= listEnd
	}
	if bytes.Contains(value, lastApplied) {
		var all map[string]json.RawMessage
		if err := json.Unmarshal(value, &all); err != nil {
			return err
		}
		delete(all, string(lastApplied))
		if len(all) == 0 {
			return nil
		}
		if value, err = Compact(all); err != nil {
			return err
		}
	}
	d.field([]byte(`"annotations"`))
	d.buf = append(d.buf, value...)
	return nil
}

// owners finds the controller among the owner references, which are the last value in the buffer.
func (d *Decoder) owners(from int, o *draft) error {
	var all []Owner
	if err := json.Unmarshal(d.buf[from:], &all); err != nil {
		return err
	}
	for _, r := range all {
		if !r.Controller {
			continue
		}
		owner, hasUID := d.find(from, r.UID)
		name, hasName := d.find(from, r.Name)
		if !hasUID || !hasName {
			// The API server takes any text for the name of an owner, but no object has such a name. An error would let
			// a client that may create one object keep all others of its kind from being read.
			continue
		}
		o.owner, o.ownerName, o.controller = owner, name, r
	}
	return nil
}

// find is the place of a JSON string in the buffer. It is not found if it has characters that JSON escapes.
func (d *Decoder) find(from int, text string) (p place, found bool) {
	if text == "" {
		return place{}, true
	}
	at := bytes.Index(d.buf[from:], []byte(`"`+text+`"`))
	if at < 0 {
		return place{}, false
	}
	return place{uint32(from + at + 1), uint32(from + at + 1 + len(text))}, true
}
