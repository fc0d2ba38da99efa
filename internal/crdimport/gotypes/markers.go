// SPDX-License-Identifier: Apache-2.0

package gotypes

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"
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
// marker that is not a validation, and none for items of items.
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
		if json.Unmarshal(v.Raw, &value) != nil || !sameJSON(v.Raw) {
			return marker{}, false
		}
		switch value := value.(type) {
		case string:
			all = append(all, quote(value))
		case bool:
			all = append(all, strconv.FormatBool(value))
		case float64:
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

// sameJSON reports whether a value survives being read by encoding/json into an empty interface, which is how markers are
// read: numbers become float64.
func sameJSON(raw []byte) bool {
	var exact, rounded any
	if kjson.UnmarshalCaseSensitivePreserveInts(raw, &exact) != nil || json.Unmarshal(raw, &rounded) != nil {
		return false
	}
	a, errA := json.Marshal(exact)
	b, errB := json.Marshal(rounded)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// oneLine is compact JSON as it can stand in a comment.
func oneLine(raw []byte) string {
	var out strings.Builder
	for _, r := range string(raw) {
		if r != ' ' && !strconv.IsPrint(r) && r < 0x10000 {
			out.WriteString(`\u` + strconv.FormatInt(int64(r)+0x10000, 16)[1:])
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
