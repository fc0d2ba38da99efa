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

// Where generated code cannot be read, the CRDs still can be: the error names their directory.
func TestHintCRDs(t *testing.T) {
	o := &options{dir: t.TempDir()}
	crds := filepath.Join(o.dir, "config", "crd")
	require.NoError(t, os.MkdirAll(crds, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(crds, "a.yaml"), []byte("kind: CustomResourceDefinition\nmetadata:\n  name: as.example.com\n"), 0o600))
	unread := &detect.NothingError{}
	require.Equal(t, unread, o.hintCRDs(unread), "a directory that is not a repository is not searched")
	require.NoError(t, os.WriteFile(filepath.Join(o.dir, "go.mod"), []byte("module example.com/m\n"), 0o600))
	err := o.hintCRDs(unread)
	require.ErrorIs(t, err, unread)
	assert.EqualError(t, err, unread.Error()+"\nfor CRDs alone, name their directory with --crd-dir, such as config/crd")
}
