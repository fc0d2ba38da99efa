// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/crdctl/crdctl/internal/trace"
)

var errNoObject = errors.New("an object was expected")

// scanner reads the JSON of objects. Unlike encoding/json, it leaves out what is not asked for while it reads, which is most of an
// object: every answer and every delivery of the API server is read.
type scanner struct {
	jsontext.Decoder

	content []byte
	buffer  bytes.Buffer
}

// scanners are those that are not in use: each has memory of its own.
var scanners = sync.Pool{New: func() any { return new(scanner) }}

// newScanner leaves the checking of names and characters to the API server. What it returns must be freed.
func newScanner(content []byte) *scanner {
	s := scanners.Get().(*scanner)
	s.content, s.buffer = content, *bytes.NewBuffer(content)
	s.Reset(&s.buffer, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return s
}

func (s *scanner) free() {
	s.content, s.buffer = nil, bytes.Buffer{}
	s.Reset(&s.buffer)
	scanners.Put(s)
}

// raw reads a value, or a name, as it is in the content.
func (s *scanner) raw() ([]byte, error) {
	value, err := s.ReadValue()
	end := int(s.InputOffset())
	return s.content[end-len(value) : end : end], err
}

// object reads an object, and has field read each of its values. The name is as in JSON. A value that is not an object is skipped.
func (s *scanner) object(field func(name []byte) error) error {
	if s.PeekKind() != '{' {
		return s.SkipValue()
	}
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	for s.PeekKind() != '}' {
		name, err := s.raw()
		if err != nil {
			return err
		}
		if err := field(name); err != nil {
			return err
		}
	}
	_, err := s.ReadToken()
	return err
}

// text reads a string. Another value is skipped, and leaves to unchanged.
func (s *scanner) text(to *string) error {
	if s.PeekKind() != '"' {
		return s.SkipValue()
	}
	token, err := s.ReadToken()
	if err == nil {
		*to = token.String()
	}
	return err
}

// integer reads a whole number. Another value is skipped, and leaves to unchanged.
func (s *scanner) integer(to *int64) error {
	value, err := s.ReadValue()
	if n, invalid := strconv.ParseInt(string(value), 10, 64); invalid == nil {
		*to = n
	}
	return err
}

// list reads a list, and has element read each of its values. A value that is not a list is skipped.
func (s *scanner) list(element func() error) error {
	if s.PeekKind() != '[' {
		return s.SkipValue()
	}
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	for s.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := s.ReadToken()
	return err
}

// head reads what every object has. It stops where all of that was seen: the rest of an object is most of it.
func (s *scanner) head(h *head) error {
	if s.PeekKind() != '{' {
		_, err := s.ReadValue()
		if err == nil {
			err = errNoObject
		}
		return err
	}
	var seen int
	err := s.object(func(name []byte) (err error) {
		switch string(name) {
		case `"apiVersion"`:
			err = s.text(&h.APIVersion)
			seen++
		case `"kind"`:
			err = s.text(&h.Kind)
			seen++
		case `"metadata"`:
			err = s.metadata(h)
			seen++
		case `"code"`:
			code := int64(0)
			err = s.integer(&code)
			h.Code = int(code)
		case `"reason"`:
			err = s.text(&h.Reason)
		case `"message"`:
			err = s.text(&h.Message)
		case `"details"`:
			err = s.object(func(name []byte) error {
				if string(name) == `"uid"` {
					return s.text(&h.Details.UID)
				}
				return s.SkipValue()
			})
		default:
			err = s.SkipValue()
		}
		if err == nil && seen >= 3 && h.Kind != "Status" {
			err = errSeen
		}
		return err
	})
	if errors.Is(err, errSeen) {
		return nil
	}
	return err
}

// errSeen ends the reading of an object of which enough was seen.
var errSeen = errors.New("seen")

func (s *scanner) metadata(h *head) error {
	m := &h.Metadata
	return s.object(func(name []byte) error {
		switch string(name) {
		case `"uid"`:
			return s.text(&m.UID)
		case `"name"`:
			return s.text(&m.Name)
		case `"namespace"`:
			return s.text(&m.Namespace)
		case `"resourceVersion"`:
			return s.text(&m.ResourceVersion)
		case `"deletionTimestamp"`:
			return s.text(&m.DeletionTimestamp)
		case `"deletionGracePeriodSeconds"`:
			if s.PeekKind() != '0' {
				return s.SkipValue()
			}
			m.DeletionGracePeriodSeconds = new(int64)
			return s.integer(m.DeletionGracePeriodSeconds)
		case `"generation"`:
			return s.integer(&m.Generation)
		case `"finalizers"`:
			return s.list(func() error {
				m.Finalizers = append(m.Finalizers, "")
				return s.text(&m.Finalizers[len(m.Finalizers)-1])
			})
		case `"ownerReferences"`:
			return s.list(func() error {
				m.Owners = append(m.Owners, trace.Owner{})
				return s.owner(&m.Owners[len(m.Owners)-1])
			})
		}
		return s.SkipValue()
	})
}

func (s *scanner) owner(to *trace.Owner) error {
	return s.object(func(name []byte) error {
		switch string(name) {
		case `"apiVersion"`:
			return s.text(&to.APIVersion)
		case `"kind"`:
			return s.text(&to.Kind)
		case `"name"`:
			return s.text(&to.Name)
		case `"uid"`:
			return s.text(&to.UID)
		case `"controller"`:
			to.Controller = s.PeekKind() == 't'
		}
		return s.SkipValue()
	})
}

// fieldsOf reads an object. Numbers are as Kubernetes has them: int64 where that is exact, and float64 otherwise.
func fieldsOf(content []byte) (map[string]any, error) {
	s := newScanner(content)
	defer s.free()
	value, err := s.value()
	all, ok := value.(map[string]any)
	if err == nil && !ok {
		err = errNoObject
	}
	return all, err
}

func unquoted(name []byte) string {
	if bytes.IndexByte(name, '\\') < 0 {
		return string(name[1 : len(name)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, name) // it was read
	return string(text)
}

// value reads any value.
func (s *scanner) value() (any, error) {
	switch s.PeekKind() {
	case '{':
		all := map[string]any{}
		err := s.object(func(name []byte) (err error) {
			all[unquoted(name)], err = s.value()
			return err
		})
		return all, err
	case '[':
		all := []any{}
		err := s.list(func() error {
			v, err := s.value()
			all = append(all, v)
			return err
		})
		return all, err
	}
	token, err := s.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '"':
		return token.String(), nil
	case '0':
		return number64(token.String())
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func number64(text string) (any, error) {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
	}
	return strconv.ParseFloat(text, 64)
}
