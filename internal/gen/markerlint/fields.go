package markerlint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
)

// fieldTags are the tags of fields that have no prefix, of kube-openapi and controller-tools.
var fieldTags = []string{
	"optional", "required", "nullable", "default", "listType", "listMapKey", "mapType", "structType", "patchStrategy", "patchMergeKey", "protobuf", "enum", "union", "unionDiscriminator", "unionDeprecated",
}

// misspeltField is the tag that a word on a field was surely meant to be, or "". Only words that are spelt almost like a tag
// count: any tool may have tags of its own.
func misspeltField(tag string) string {
	tag = strings.TrimSpace(tag)
	name := nameEnd(tag)
	rest := tag[len(name):]
	name = strings.TrimSuffix(name, ":") // controller-tools takes a colon before the equals sign
	if rest != "" && rest[0] != '=' || len(name) < 6 || slices.Contains(fieldTags, name) {
		return ""
	}
	for _, known := range []string{"optional", "required", "nullable", "default", "listType", "listMapKey", "mapType", "structType", "patchStrategy", "patchMergeKey"} {
		slips := 1
		if len(known) >= 10 {
			slips = 2
		}
		if len(name) >= len(known)-slips && text.Distance(strings.ToLower(name), strings.ToLower(known)) <= slips {
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
	return Error, fmt.Sprintf("unknown tag +%s; did you mean +%s?", strings.TrimSuffix(nameEnd(t.text[1:]), ":"), misspeltField(t.text[1:]))
}
