package gotypes

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// field is the text of one field. What JSON a Go client makes of it follows from three things: an absent field must not
// become a zero value that the schema refuses; it must not become one in the place of a default; and a zero value that
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

// defaults adds the marker of a default, and tells whether there is one.
func (b *builder) defaults(s *schema, at place, markers *[]marker) bool {
	if s.Default == nil {
		return false
	}
	var compact bytes.Buffer
	switch {
	case json.Compact(&compact, s.Default.Raw) != nil || !sameJSON(s.Default.Raw):
		b.lose(at, "default:", "has a number that no marker can write: nothing is filled in here")
	case compact.String() == "null":
		b.lose(at, "default:", "null is none for a marker: an absent field stays absent")
	default:
		*markers = append(*markers, plain("default="+oneLine(compact.Bytes())))
		return true
	}
	return false
}

// defaultsToZero tells whether the default is what a Go field has that nobody set.
func defaultsToZero(s *schema) bool {
	switch raw := string(bytes.TrimSpace(s.Default.Raw)); s.Type {
	case "string":
		return raw == `""`
	case "boolean":
		return raw == "false"
	case "integer", "number":
		return raw == "0" || raw == "0.0"
	}
	return false
}

// zeroSays tells whether a zero value says something that an absent field does not. An empty string is taken to say nothing
// where there is no default, as it is in the API of Kubernetes; and nothing is lost where the schema refuses zero.
func zeroSays(s *schema, hasDefault bool) bool {
	if hasDefault && defaultsToZero(s) {
		return false
	}
	if s.Type == "string" {
		return hasDefault && !refusesEmpty(s)
	}
	return !refusesZero(s)
}

func refusesZero(s *schema) bool {
	return len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(v apiextensionsv1.JSON) bool { return string(v.Raw) == "0" || string(v.Raw) == "false" }) ||
		s.Minimum != nil && (*s.Minimum > 0 || *s.Minimum == 0 && s.ExclusiveMinimum) ||
		s.Maximum != nil && (*s.Maximum < 0 || *s.Maximum == 0 && s.ExclusiveMaximum)
}

func refusesEmpty(s *schema) bool {
	if s.MinLength != nil && *s.MinLength > 0 {
		return true
	}
	if s.Pattern != "" {
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString("") {
			return true
		}
	}
	return len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(v apiextensionsv1.JSON) bool { return string(v.Raw) == `""` })
}
