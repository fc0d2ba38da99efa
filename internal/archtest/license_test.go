// SPDX-License-Identifier: Apache-2.0

package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every Go file begins with its license. The linter goheader would check the same, but runs git twice for each file.
func TestLicense(t *testing.T) {
	const license = "// SPDX-License-Identifier: Apache-2.0\n"
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(unread, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		data, err := os.ReadFile(path)
		read++
		assert.True(t, strings.HasPrefix(string(data), license), "%s does not begin with %q", path, license)
		return err
	})
	require.NoError(t, err)
	assert.Greater(t, read, 1000)
}
