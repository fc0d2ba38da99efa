// SPDX-License-Identifier: Apache-2.0

package record

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var errNoObject = errors.New("an object was expected")

// scanner reads the JSON of objects. Unlike encoding/json, it leaves out what is not asked for while it reads, which is most of an
// object: every answer and every delivery of the API server is read.
type scanner struct{ *jsontext.Decoder }

// newScanner leaves the checking of names and characters to the API server.
func newScanner(content []byte) scanner {
	return scanner{jsontext.NewDecoder(bytes.NewBuffer(content), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// object reads an object, and has field read each of its values. A value that is not an object is skipped.
func (s scanner) object(field func(name string) error) error {
	if s.PeekKind() != '{' {
		return s.SkipValue()
	}
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	for s.PeekKind() != '}' {
		name, err := s.ReadToken()
		if err != nil {
			return err
		}
		if err := field(name.String()); err != nil {
			return err
		}
	}
	_, err := s.ReadToken()
	return err
}

// text reads a string. Another value is skipped, and leaves to unchanged.
func (s scanner) text(to *string) error {
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
func (s scanner) integer(to *int64) error {
	value, err := s.ReadValue()
	if n, invalid := strconv.ParseInt(string(value), 10, 64); invalid == nil {
		*to = n
	}
	return err
}

// texts reads a list of strings.
func (s scanner) texts(to *[]string) error {
	if s.PeekKind() != '[' {
		return s.SkipValue()
	}
	if _, err := s.ReadToken(); err != nil {
		return err
	}
	for s.PeekKind() != ']' {
		var text string
		if err := s.text(&text); err != nil {
			return err
		}
		*to = append(*to, text)
	}
	_, err := s.ReadToken()
	return err
}

// head reads what every object has. It stops where all of that was seen: the rest of an object is most of it.
func (s scanner) head(h *head) error {
	if s.PeekKind() != '{' {
		_, err := s.ReadValue()
		if err == nil {
			err = errNoObject
		}
		return err
	}
	var seen int
	err := s.object(func(name string) (err error) {
		switch name {
		case "apiVersion":
			err = s.text(&h.APIVersion)
			seen++
		case "kind":
			err = s.text(&h.Kind)
			seen++
		case "metadata":
			err = s.metadata(h)
			seen++
		case "code":
			code := int64(0)
			err = s.integer(&code)
			h.Code = int(code)
		case "reason":
			err = s.text(&h.Reason)
		case "message":
			err = s.text(&h.Message)
		case "details":
			err = s.object(func(name string) error {
				if name == "uid" {
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

func (s scanner) metadata(h *head) error {
	m := &h.Metadata
	return s.object(func(name string) error {
		switch name {
		case "uid":
			return s.text(&m.UID)
		case "name":
			return s.text(&m.Name)
		case "namespace":
			return s.text(&m.Namespace)
		case "resourceVersion":
			return s.text(&m.ResourceVersion)
		case "deletionTimestamp":
			return s.text(&m.DeletionTimestamp)
		case "deletionGracePeriodSeconds":
			if s.PeekKind() != '0' {
				return s.SkipValue()
			}
			m.DeletionGracePeriodSeconds = new(int64)
			return s.integer(m.DeletionGracePeriodSeconds)
		case "finalizers":
			return s.texts(&m.Finalizers)
		}
		return s.SkipValue()
	})
}

// fieldsOf reads an object without its managedFields, which are half of many objects and compared with nothing. Numbers are as
// Kubernetes has them: int64 where that is exact, and float64 otherwise.
func fieldsOf(content []byte) (map[string]any, error) {
	s := newScanner(content)
	if s.PeekKind() != '{' {
		return nil, errNoObject
	}
	all := map[string]any{}
	err := s.object(func(name string) (err error) {
		if name == "metadata" && s.PeekKind() == '{' {
			metadata := map[string]any{}
			all[name] = metadata
			return s.object(func(name string) (err error) {
				if name == "managedFields" {
					return s.SkipValue()
				}
				metadata[name], err = s.value()
				return err
			})
		}
		all[name], err = s.value()
		return err
	})
	return all, err
}

// value reads any value.
func (s scanner) value() (any, error) {
	switch s.PeekKind() {
	case '{':
		all := map[string]any{}
		err := s.object(func(name string) (err error) {
			all[name], err = s.value()
			return err
		})
		return all, err
	case '[':
		if _, err := s.ReadToken(); err != nil {
			return nil, err
		}
		all := []any{}
		for s.PeekKind() != ']' {
			v, err := s.value()
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		_, err := s.ReadToken()
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
