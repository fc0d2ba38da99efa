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

// Two directories of one disk are listed once, also while another program writes to it.
func TestDisksOnce(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
				err = os.WriteFile(filepath.Join(dir, "file"), make([]byte, (1+i%64)<<12), 0o600)
			}
		}
		stopped <- err
	}()
	for range 200 {
		assert.Len(t, disks(dir, other), 1)
	}
	close(stop)
	require.NoError(t, <-stopped)
}
