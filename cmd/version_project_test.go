// SPDX-License-Identifier: Apache-2.0

//go:build !crdctl_loop

package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
)

// A project of a built-in loop has no API packages.
func TestGeneratorsOfAProjectWithoutAPIs(t *testing.T) {
	dir := t.TempDir()
	settings := "apiVersion: " + config.APIVersion + "\nkind: " + config.Kind + "\ncodeGeneratorVersion: v0.30.1\nloop: {hook: ./sync.sh}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.FileName), []byte(settings), 0o600))
	assert.Equal(t, "v0.30.1", generatorsOf(dir).Version)
	assert.Zero(t, generatorsOf(t.TempDir()), "no project")
}
