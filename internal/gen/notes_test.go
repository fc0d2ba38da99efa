// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNotesOnAliasesAreOneNote(t *testing.T) {
	note := func(prefix, name string) string {
		return prefix + "Mismatched comments on type " + name + ".\n  Using comments:\n    ```\n    A is a type.\n    ```\n  Ignoring comments from type alias:\n    ```\n    B is an alias of A.\n    ```\n"
	}
	notes := []string{"first", note("deepcopy-gen: ", "example.com/v1.B"), note("", "example.com/v1.A"), note("", "example.com/v1.A"), "last"}
	assert.Equal(t, []string{"first", "last", "comments of type aliases are ignored where the type has another comment: example.com/v1.A and 1 more"}, shortened(notes))
	assert.Equal(t, []string{"first"}, shortened([]string{"first"}))
}
