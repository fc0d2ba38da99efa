// SPDX-License-Identifier: Apache-2.0

package postprocess

import (
	"reflect"
	"strings"
)

// SameButLists reports whether two CRDs differ in nothing but the form of lists in their descriptions. A generator of types can run
// controller-gen before gofmt, which gives the lists in comments a form of its own: of the types as they are checked in, no run makes these CRDs.
func SameButLists(generated, file []byte) bool {
	want, err := documents(generated)
	if err != nil {
		return false
	}
	have, err := documents(file)
	return err == nil && reflect.DeepEqual(withoutLists(want), withoutLists(have))
}

// withoutLists is a value whose descriptions have neither the marks nor the indentation of lists.
func withoutLists(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			if text, ok := field.(string); ok && name == "description" {
				v[name] = unlisted(text)
			} else {
				v[name] = withoutLists(field)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutLists(v[i])
		}
	}
	return v
}

// unlisted is a text as one line, without the marks at the start of its lines.
func unlisted(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) > 0 && (fields[0] == "*" || fields[0] == "-") {
			fields = fields[1:]
		}
		words = append(words, fields...)
	}
	return strings.Join(words, " ")
}
