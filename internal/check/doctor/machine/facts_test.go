// SPDX-License-Identifier: Apache-2.0

package machine

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The size of a cache is that of its files, and a lower bound where the time did not suffice.
func TestCaches(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "00"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "00", "a"), make([]byte, 1536), 0o600))
	whole, part := Cache{Name: "go build", Dir: dir}, Cache{Name: "go modules", Dir: dir}
	whole.sum(t.Context())
	ended, end := context.WithCancel(t.Context())
	end()
	part.sum(ended)
	facts := Machine{Caches: []Cache{whole, part}}.Facts()
	assert.Contains(t, facts, "cache of go build: 1.5 KiB in "+dir)
	assert.Contains(t, facts, "cache of go modules: at least 0 B in "+dir)
}
