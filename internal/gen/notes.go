// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"regexp"
	"slices"

	"github.com/crdctl/crdctl/internal/text"
)

// aliasNote is the note of gengo on a type and an alias of it that have different comments. It quotes both, and comes once for each
// generator and each package that has the alias.
var aliasNote = regexp.MustCompile(`Mismatched (?:comments|secondClosestCommentLines) on type (\S+)\.\n`)

// shortened has one note for all aliases whose comments are ignored, instead of pages of them. The others stay as they are.
func shortened(notes []string) []string {
	var kept, types []string
	for _, note := range notes {
		if m := aliasNote.FindStringSubmatch(note); m != nil {
			types = append(types, m[1])
		} else {
			kept = append(kept, note)
		}
	}
	if len(types) == 0 {
		return notes
	}
	slices.Sort(types)
	types = slices.Compact(types)
	return append(kept, "comments of type aliases are ignored where the type has another comment: "+text.First(types, 1))
}
