// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/detect"
)

// Where generated code cannot be read, the CRDs still can be: the error names their directories, but for those of tests, and those of charts with copies.
func TestHintCRDs(t *testing.T) {
	o := &options{dir: t.TempDir()}
	write := func(dir, name string) {
		t.Helper()
		crds := filepath.Join(o.dir, filepath.FromSlash(dir))
		require.NoError(t, os.MkdirAll(crds, 0o750))
		require.NoError(t, os.WriteFile(filepath.Join(crds, name+".yaml"), []byte("kind: CustomResourceDefinition\nmetadata:\n  name: "+name+".example.com\nspec:\n  names:\n    kind: A\n"), 0o600))
	}
	write("config/crd", "as")
	write("config/crd", "bs")
	write("deploy/crds", "as")
	write("test/crds", "cs")
	write("charts/copy/crds", "as")
	write("charts/other/crds", "ds")
	require.Empty(t, o.dirsWithCRDs(), "a directory that is not a repository is not searched")
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, "go.mod"), []byte("module example.com/m\n"), 0o600))
	unread := &detect.NothingError{}
	hint, ok := hintOfNothing(unread)
	require.True(t, ok)
	err := hintCRDs(unread, hint, o.dirsWithCRDs())
	require.ErrorIs(t, err, unread)
	assert.EqualError(t, err, unread.Error()+"\nfor CRDs alone, name their directory with --crd-dir: config/crd, charts/other/crds, deploy/crds")
}
