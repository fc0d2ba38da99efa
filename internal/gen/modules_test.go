// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The API packages of a module below are loaded from the root if its module requires that one, but not where the root has copies of
// them in vendor: what is generated would go there.
func TestLoadDir(t *testing.T) {
	root := t.TempDir()
	put := func(file, content string) {
		full := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o644))
	}
	put("go.mod", "module example.com/m\n\nrequire example.com/m/client v0.0.0\n\nreplace example.com/m/client => ./client\n")
	put("client/go.mod", "module example.com/m/client\n")
	put("client/apis/a/v1/types.go", "package v1\n")
	assert.Equal(t, root, loadDir(root, []string{"client/apis"}))
	put("vendor/modules.txt", "# example.com/m/client v0.0.0 => ./client\n")
	assert.Equal(t, filepath.Join(root, "client"), loadDir(root, []string{"client/apis"}))
}
