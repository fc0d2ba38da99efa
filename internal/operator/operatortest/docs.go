// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// InDocs returns the indented part of the page about hooks that follows a text, for a test in a package directly below this directory.
func InDocs(t *testing.T, after string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "hooks.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), after)
	require.True(t, found, "docs/hooks.md does not say %q", after)
	var b strings.Builder
	for line := range strings.Lines(rest) {
		code, indented := strings.CutPrefix(line, "    ")
		if !indented && strings.TrimSpace(line) != "" {
			break
		}
		b.WriteString(code)
	}
	return strings.TrimLeft(b.String(), "\n")
}
