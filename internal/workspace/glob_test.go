// SPDX-License-Identifier: Apache-2.0

package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/workspace"
)

func TestGlobReadsTheDirectoryAsIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "g[x]")
	for _, name := range []string{"go.mod", "a/go.mod", "a/b/go.mod", "c/main.go"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, nil, 0o644))
	}
	found, err := workspace.Glob(dir, "*/go.mod")
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "a", "go.mod")}, found)
	found, err = workspace.Glob(filepath.Join(dir, "nowhere"), "*")
	require.NoError(t, err)
	assert.Empty(t, found)
	_, err = workspace.Glob(dir, "[")
	assert.Error(t, err)
}
