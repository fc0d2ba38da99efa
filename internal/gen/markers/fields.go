package markers

import (
	"fmt"
	"slices"
	"strings"
)

// fieldTags are the tags of fields that have no prefix, of kube-openapi and controller-tools.
var fieldTags = []string{
	"optional", "required", "nullable", "default", "listType", "listMapKey", "mapType", "structType", "patchStrategy", "patchMergeKey", "protobuf", "enum", "union", "unionDiscriminator", "unionDeprecated",
}

// misspeltField is the tag that a word on a field was surely meant to be, or "". Only words that are spelt almost like a tag
// count: any tool may have tags of its own.
func misspeltField(text string) string {
	name := nameEnd(strings.TrimSpace(text))
	if rest := strings.TrimSpace(text)[len(name):]; rest != "" && rest[0] != '=' || len(name) < 6 || slices.Contains(fieldTags, name) {
		return ""
	}
	for _, known := range []string{"optional", "required", "nullable", "listType", "listMapKey", "mapType", "structType"} {
		if len(name) >= len(known)-1 && distance(strings.ToLower(name), strings.ToLower(known)) == 1 || strings.EqualFold(name, known) {
			return known
		}
	}
	return ""
}

// field judges a tag without a prefix that is almost one of those of fields.
func (t tag) field() (Severity, string) {
	if !t.place.has(onField) {
		return Warning, ""
	}
	return Error, fmt.Sprintf("unknown tag +%s; did you mean +%s?", nameEnd(t.text[1:]), misspeltField(t.text[1:]))
}
