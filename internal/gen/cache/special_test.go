// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A FIFO where an entry is expected counts as none and does not block, and a link is not followed. Both are replaced by the next Put.
func TestGetOfWhatIsNoFile(t *testing.T) {
	s := At(t.TempDir(), 1<<20)
	require.NoError(t, s.Put(key("linked"), "value"))
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.Rename(s.path(key("linked")), outside))
	require.NoError(t, os.Symlink(outside, s.path(key("linked"))))
	require.NoError(t, syscall.Mkfifo(s.path(key("fifo")), 0o600))
	for _, name := range []string{"linked", "fifo"} {
		require.NoError(t, safefstest.Within(t, func() error {
			var got string
			if s.Get(key(name), &got) {
				return fmt.Errorf("%s: an entry", name)
			}
			return nil
		}))
		assert.NoError(t, s.Put(key(name), "new"), name)
		var got string
		assert.True(t, s.Get(key(name), &got), "%s: got %q after it was put", name, got)
		assert.Equal(t, "new", got, "%s: got %q after it was put", name, got)
	}
}
