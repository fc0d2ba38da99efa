// SPDX-License-Identifier: Apache-2.0

package scriptline

import (
	"path"
	"strings"
)

// InPlace reports whether a command changes the files that it is given: sed -i and its kind, or a program that runs one.
func InPlace(words []string) bool {
	editor := ""
	for _, w := range words {
		switch base := path.Base(w); {
		case base == "sed" || base == "gsed" || base == "perl" || base == "gawk" || base == "ruby":
			editor = base
		case RunsYQ(w) || strings.HasPrefix(w, "$") && strings.Contains(strings.ToLower(w), "yq"):
			editor = "yq"
		case strings.HasPrefix(w, "$") && strings.Contains(strings.ToLower(w), "sed"):
			editor = "sed"
		case editor != "" && (strings.HasPrefix(w, "--in-place") || strings.HasPrefix(w, "--inplace")):
			return true
		case editor != "" && strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "i"):
			return editor != "yq" || len(w) <= 4
		}
	}
	return false
}
