// SPDX-License-Identifier: Apache-2.0

package text

import (
	"fmt"
	"strings"
)

// AndMore is what is named, and how many more there are that are not.
func AndMore(named string, more int) string {
	if more <= 0 {
		return named
	}
	return fmt.Sprintf("%s and %d more", named, more)
}

// First names the first of a list, so many at most, and says how many more there are.
func First(list []string, most int) string {
	shown := min(len(list), most)
	return AndMore(strings.Join(list[:shown], ", "), len(list)-shown)
}

// FirstSaid is First for sentences.
func FirstSaid(list []string, most int) string {
	if len(list) <= most {
		return strings.Join(list, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(list[:most], "; "), len(list)-most)
}
