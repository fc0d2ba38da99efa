// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSafeDirectories(t *testing.T) {
	base := t.TempDir()
	a, b, below, link := filepath.Join(base, "a"), filepath.Join(base, "b"), filepath.Join(base, "a", "below"), filepath.Join(base, "link")
	for _, dir := range []string{a, b, below} {
		require.NoError(t, os.Mkdir(dir, 0o700))
	}
	require.NoError(t, os.Symlink(a, link))
	t.Chdir(base)
	for _, c := range []struct {
		dir, list string
		want      bool
	}{
		{a, "", false},
		{a, a, true},
		{a, a + "/", true},
		{"a", a, true},
		{link, a, true},
		{a, link, true},
		{b, a, false},
		{b, a + string(os.PathListSeparator) + b, true},
		{below, a, false}, // an entry stands for one directory
		{a, below, false},
		{a, "a", false}, // relative to what?
		{a, ".", false},
		{a, "*", false},
	} {
		assert.Equal(t, c.want, isSafe(c.dir, c.list), "isSafe(%s, %s)", c.dir, c.list)
	}
}
