// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	file, link, empty := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "empty")
	safefstest.WriteFiles(t, dir, map[string]string{"file": "four", "empty": ""})
	require.NoError(t, os.Symlink(file, link))
	for _, name := range []string{file, link} {
		data, err := ReadFile(name, 4)
		require.NoError(t, err, name)
		assert.Equal(t, "four", string(data), name)
		_, err = ReadFile(name, 3)
		assert.ErrorIs(t, err, ErrTooBig, name)
	}
	data, err := ReadFile(empty, 4)
	require.NoError(t, err)
	assert.Equal(t, []byte{}, data) // nil is for files that do not exist
	_, err = ReadFile(filepath.Join(dir, "none"), 4)
	assert.ErrorIs(t, err, fs.ErrNotExist, "a missing file")
	_, err = ReadFile(dir, 4)
	assert.ErrorIs(t, err, syscall.EISDIR, "a directory")
}
