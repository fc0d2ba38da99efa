// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"bytes"
	"encoding/json"

	kjson "sigs.k8s.io/json"

	"github.com/crdctl/crdctl/internal/crd/sample"
)

// field is the text of one field. What JSON a Go client makes of it follows from three things: an absent field must not
// become a zero value that the schema refuses; it must not become one instead of a default; and a zero value that
// says something must not become an absent field.
func (b *builder) field(s *schema, at place, property, name string, required bool) string {
	made := b.shape(s, at)
	markers := made.markers
	if s.Nullable {
		markers = append(markers, plain("nullable"))
	}
	hasDefault := b.defaults(s, at, &markers)
	if required {
		markers = append(markers, plain("required"))
	} else {
		markers = append(markers, plain("optional"))
	}
	expr, option := made.expr, ",omitempty"
	switch {
	case required && !hasDefault:
		option = ""
		if s.Nullable && made.absent != byNil {
			expr = "*" + expr
		}
	case len(at.words) == 1 && made.own && (at.Path == "spec" || at.Path == "status") && (!hasDefault || string(s.Default.Raw) == "{}"):
		option = ",omitzero" // as every kind has them, by value
	case made.absent == byNil:
		if hasDefault {
			option = ",omitzero" // an empty list is none that the default is to fill
		}
	case made.absent == byPointer, s.Nullable, zeroSays(s, hasDefault):
		expr = "*" + expr
	}
	return comment(documentation(s)) + lines(markers) + "\t" + name + " " + expr + " `json:\"" + property + option + "\"`\n"
}

// defaults adds the marker of a default, and reports whether there is one.
func (b *builder) defaults(s *schema, at place, markers *[]marker) bool {
	if s.Default == nil {
		return false
	}
	var compact bytes.Buffer
	switch {
	case json.Compact(&compact, s.Default.Raw) != nil || !sameJSON(s.Default.Raw):
		b.lose(at, "default:", "has a number that a marker cannot express: no default is set here")
	case compact.String() == "null":
		b.lose(at, "default:", "a marker cannot express null: a missing field stays missing")
	default:
		*markers = append(*markers, plain("default="+oneLine(compact.Bytes())))
		return true
	}
	return false
}

// zeros are the values of types in Go that were not set.
var zeros = map[string]any{"string": "", "boolean": false, "integer": int64(0), "number": int64(0)}

// zeroSays reports whether a zero value means something that an absent field does not. An empty string means nothing
// where there is no default, as in the API of Kubernetes; and nothing is lost where the schema refuses zero.
func zeroSays(s *schema, hasDefault bool) bool {
	zero := zeros[s.Type]
	var filled any
	if hasDefault && kjson.UnmarshalCaseSensitivePreserveInts(s.Default.Raw, &filled) == nil && (filled == zero || filled == 0.0) {
		return false
	}
	only := relevant(s)
	only.AllOf, only.AnyOf, only.OneOf, only.Not, only.Format = nil, nil, nil, nil, ""
	return (s.Type != "string" || hasDefault) && sample.Validate(only, nil, zero) == nil
}
