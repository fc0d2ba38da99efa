// SPDX-License-Identifier: Apache-2.0

package write

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdctl/crdctl/internal/text"
)

var (
	wrongType = regexp.MustCompile(`must be of type (\w+): "(\w+)"$`)
	noFormat  = regexp.MustCompile(`must be of type (\S+): ""$`)                   // where the schema has a format, and the value has none
	restore   = regexp.MustCompile(`^cannot restore (?:map|struct) from:? (\w+)$`) // of metadata
	inBody    = regexp.MustCompile(`^\S+ in body `)
	unknown   = regexp.MustCompile(`^unrecognized type: (\w+)$`) // a list or an object, of metadata
	combined  = regexp.MustCompile(`^"([^"]+)" (must (?:not )?validate .*)$`)
	outside   = regexp.MustCompile(`^Checked value must be of type (\w+) (?:with format (\w+)|\(default format\)) in (.*)$`)
)

// placed gives errors about the range of a number, and about anyOf, oneOf and not, their field, which the API server has in their text only.
func placed(all field.ErrorList) field.ErrorList {
	for _, e := range all {
		if m := combined.FindStringSubmatch(e.Detail); m != nil {
			e.Field, e.Detail = m[1], m[2]
			continue
		}
		m := outside.FindStringSubmatch(e.Detail)
		if m == nil {
			continue
		}
		e.Detail = "must be within the range of " + cmp.Or(m[2], "int64")
		at, below := strings.TrimPrefix(e.Field, "<nil>"), strings.TrimPrefix(m[3], ".")
		e.Field = strings.Trim(at+"."+below, ".")
	}
	return all
}

// WithoutExamples is what the API server says of a name, without the examples and the regular expression that follow.
func WithoutExamples(detail string) string {
	detail, _, _ = strings.Cut(detail, " (e.g. '")
	return detail
}

// Text is an error of the API server about an object in one line: the field and what is wrong with it, without the value where that may be a
// whole object.
func Text(e *field.Error) string {
	at := e.Field
	if at == "<nil>" || at == "" {
		at = "the object"
	}
	detail := wrongType.ReplaceAllString(inBody.ReplaceAllString(e.Detail, ""), "must be of type $1, not $2")
	detail = noFormat.ReplaceAllString(detail, "must be of type $1, not object or boolean")
	detail = restore.ReplaceAllString(detail, "a field must be of type object, not $1")
	detail = unknown.ReplaceAllString(detail, "a field must be of type $1")
	detail = WithoutExamples(strings.Join(strings.Fields(detail), " "))
	switch e.Type {
	case field.ErrorTypeRequired:
		if detail == "" {
			return at + " is required"
		}
	case field.ErrorTypeDuplicate:
		return fmt.Sprintf("%s is there twice", at)
	case field.ErrorTypeNotSupported:
		return fmt.Sprintf("%s: %v is not one of the values: %s", at, text.Shorten(fmt.Sprint(e.BadValue), 40), strings.TrimPrefix(detail, "supported values: "))
	}
	if wrongType.MatchString(e.Detail) || strings.HasPrefix(detail, "must ") || strings.HasPrefix(detail, "should ") {
		return at + " " + detail
	}
	return strings.TrimSuffix(at+": "+detail, ": ")
}
