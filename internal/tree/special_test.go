// SPDX-License-Identifier: Apache-2.0

//go:build unix

package tree

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A FIFO where a file of the tree is expected is named, and not waited for.
func TestDiffOfWhatIsNoFile(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "a.txt"), 0o600))
	generated := New()
	require.NoError(t, generated.Add("a.txt", []byte("a")))
	err := safefstest.Within(t, func() error {
		assert.Len(t, generated.InTheWay(root), 1, "in the way")
		_, err := generated.Diff(root)
		return err
	})
	require.Error(t, err)
	assert.True(t, strings.HasPrefix(err.Error(), "a.txt is not a regular file"))
}
