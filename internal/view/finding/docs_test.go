// SPDX-License-Identifier: Apache-2.0

package finding

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table in the documentation has all types, as they are.
func TestTypesAreDocumented(t *testing.T) {
	const page, begin, end = "../../../docs/view.md", "-update -->\n", "<!-- end of findings -->"
	var table strings.Builder
	table.WriteString("| type | what happens | what to do |\n|---|---|---|\n")
	for _, typ := range Types() {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", typ.Name, typ.Means, typ.Fix)
	}
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(data), begin)
	require.True(t, ok)
	got, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+table.String()+end+after), 0o644))
		return
	}
	assert.Equal(t, table.String(), got, "go test ./internal/view/finding -update")
}
