// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Field returns one of the object's top-level fields as JSON, "" if there is none.
func (o *Object) Field(name string) string {
	found := ""
	o.eachField(func(field, value string) bool {
		if field == name {
			found = value
		}
		return found == ""
	})
	return found
}

// Spec is what the object asks for, as compact JSON: spec, or for a kind without one everything but metadata and status.
func (o *Object) Spec() string {
	if spec := o.Field("spec"); spec != "" {
		return spec
	}
	var rest []string
	o.eachField(func(field, value string) bool {
		if field != "metadata" && field != "status" {
			rest = append(rest, `"`+field+`":`+value)
		}
		return true
	})
	return "{" + strings.Join(rest, ",") + "}"
}

// Mentions reports whether the text has this in it: a cheap no, before something is decoded.
func (o *Object) Mentions(text string) bool { return strings.Contains(o.text, text) }

// Substance is what a controller may have a say in, as text: everything but the status, and what the API server counts. It
// is for comparing, and no JSON.
func (o *Object) Substance() string {
	var b strings.Builder
	o.eachField(func(field, value string) bool {
		switch field {
		case "status":
		case "metadata":
			each(value, func(field, value string) bool {
				if field != "resourceVersion" && field != "generation" {
					b.WriteString(field + value)
				}
				return true
			})
		default:
			b.WriteString(field + value)
		}
		return true
	})
	return b.String()
}

// eachField walks the top-level fields until more says no. The text was valid when it was read.
func (o *Object) eachField(more func(field, value string) bool) { each("{"+o.text+"}", more) }

func each(text string, more func(field, value string) bool) {
	d := jsontext.NewDecoder(strings.NewReader(text), lenient...)
	if _, err := d.ReadToken(); err != nil {
		return
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return
		}
		field := name.String()
		value, err := d.ReadValue()
		if err != nil || !more(field, string(value)) {
			return
		}
	}
}

func decodeNumbers(data []byte) (map[string]any, error) {
	var decoded map[string]any
	err := utiljson.Unmarshal(data, &decoded)
	return decoded, err
}

// Compact is any value as JSON for people to read: < > & stay as they are, which json.Marshal changes.
func Compact(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// DuplicateKey returns the JSON pointer of a key that an object has twice, or "". What else is wrong is for the decoder to say.
func DuplicateKey(text []byte) string {
	_, err := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(true)).ReadValue()
	var at *jsontext.SyntacticError
	if errors.As(err, &at) && errors.Is(err, jsontext.ErrDuplicateName) {
		return string(at.JSONPointer)
	}
	return ""
}
