package gotypes

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/crdimport/normalize"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// marker is what a comment says to controller-tools.
type marker struct {
	// prefix is that of all validation markers, or empty.
	prefix, text string
}

const validationPrefix = "kubebuilder:validation:"

func rule(text string) marker  { return marker{validationPrefix, text} }
func plain(text string) marker { return marker{"", text} }

// Two that are called otherwise for items, one of them for types as well.
var (
	keepFields   = plain("kubebuilder:pruning:PreserveUnknownFields")
	embedded     = rule("EmbeddedResource")
	embeddedType = rule("XEmbeddedResource")
)

// String is the comment's line.
func (m marker) String() string { return "// +" + m.prefix + m.text + "\n" }

// ofItems is the marker that says the same of the items of a list, from the place of the list. There is none for a
// marker that is no validation, and none for items of items.
func (m marker) ofItems() (marker, bool) {
	switch m {
	case keepFields:
		return rule("items:XPreserveUnknownFields"), true
	case embedded:
		return rule("items:" + embeddedType.text), true
	}
	if m.prefix == "" || strings.HasPrefix(m.text, "items:") {
		return m, false
	}
	return rule("items:" + m.text), true
}

func lines(all []marker) string {
	var out strings.Builder
	for _, m := range all {
		out.WriteString(m.String())
	}
	return out.String()
}

// quote makes a string as the scanner of controller-tools, which is Go's, reads it: raw where that spares backslashes.
func quote(s string) string {
	if strings.ContainsAny(s, `\"`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// celRule is the marker of one x-kubernetes-validations rule.
func celRule(v apiextensionsv1.ValidationRule) marker {
	text := "XValidation:rule=" + quote(v.Rule)
	add := func(name, value string) {
		if value != "" {
			text += "," + name + "=" + quote(value)
		}
	}
	add("message", v.Message)
	add("messageExpression", v.MessageExpression)
	if v.Reason != nil {
		add("reason", string(*v.Reason))
	}
	add("fieldPath", v.FieldPath)
	if v.OptionalOldSelf != nil {
		text += ",optionalOldSelf=" + strconv.FormatBool(*v.OptionalOldSelf)
	}
	return rule(text)
}

// enumRule is the marker of an enum; false if a value is one that no marker can write.
func enumRule(values []apiextensionsv1.JSON) (marker, bool) {
	var all []string
	for _, v := range values {
		var value any
		if json.Unmarshal(v.Raw, &value) != nil {
			return marker{}, false
		}
		switch value := value.(type) {
		case string:
			all = append(all, quote(value))
		case bool:
			all = append(all, strconv.FormatBool(value))
		case float64:
			if !sameJSON(v.Raw) {
				return marker{}, false
			}
			all = append(all, number(value))
		default:
			return marker{}, false
		}
	}
	if len(all) == 1 {
		return rule("Enum=" + all[0]), true
	}
	return rule("Enum={" + strings.Join(all, ",") + "}"), true
}

// sameJSON tells whether a value survives being read by encoding/json into an empty interface, which is how markers are
// read: numbers become float64.
func sameJSON(raw []byte) bool {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return false
	}
	again, err := json.Marshal(value)
	return err == nil && reflect.DeepEqual(exact(raw), exact(again))
}

// exact is a JSON value with its numbers as they are written, whole numbers without an exponent.
func exact(raw []byte) any {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil
	}
	return exactly(value)
}

func exactly(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for k, v := range value {
			value[k] = exactly(v)
		}
	case []any:
		for i, v := range value {
			value[i] = exactly(v)
		}
	case json.Number:
		if _, err := value.Int64(); err == nil {
			return value.String()
		}
		if f, err := value.Float64(); err == nil {
			return number(f)
		}
	}
	return value
}

// oneLine is JSON as it can stand in a comment.
func oneLine(raw []byte) string {
	var out strings.Builder
	for _, r := range string(raw) {
		if r == '\n' || r == '\r' || r == '\t' {
			r = ' ' // outside of strings, where JSON has these escaped
		}
		if r != ' ' && !strconv.IsPrint(r) && r < 0x10000 {
			out.WriteString(`\u` + strconv.FormatInt(int64(r)+0x10000, 16)[1:])
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// oneOfMarker is the marker that makes this very rule, if there is one.
func oneOfMarker(s *schema, v apiextensionsv1.ValidationRule) (marker, bool) {
	for name, ends := range map[string][2]string{
		"ExactlyOneOf": {"exactly one of the fields in [", "] must be set"},
		"AtLeastOneOf": {"at least one of the fields in [", "] must be set"},
		"AtMostOneOf":  {"at most one of the fields in [", "] may be set"},
	} {
		inner, begins := strings.CutPrefix(v.Message, ends[0])
		inner, does := strings.CutSuffix(inner, ends[1])
		fields := strings.Fields(inner)
		if !begins || !does || len(fields) == 0 || slices.ContainsFunc(fields, func(f string) bool {
			_, known := s.Properties[f]
			return !known || !normalize.PlainName.MatchString(f) || slices.Contains(s.Required, f)
		}) {
			continue
		}
		made := normalize.FieldsRule(map[string]string{"ExactlyOneOf": "oneOf", "AtLeastOneOf": "anyOf", "AtMostOneOf": "oneOf"}[name], fields)
		made.Message = v.Message
		if name == "AtMostOneOf" {
			made.Rule = strings.TrimSuffix(made.Rule, " == 1") + " <= 1"
		}
		if reflect.DeepEqual(made, v) {
			return rule(name + "=" + strings.Join(fields, ";")), true
		}
	}
	return marker{}, false
}
