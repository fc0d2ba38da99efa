// SPDX-License-Identifier: Apache-2.0

package safefs

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSeal(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	assert.False(t, Sealed([]byte("data"), ""), "without a key, a code is right")
	seals := make([]string, 8)
	var all sync.WaitGroup
	for i := range seals {
		all.Go(func() {
			var err error
			seals[i], err = Seal([]byte("data"))
			assert.NoError(t, err)
		})
	}
	all.Wait()
	for _, seal := range seals {
		assert.Equal(t, seals[0], seal, ": of processes that begin at once, each has a key of its own")
		assert.True(t, Sealed([]byte("data"), seal), ": of processes that begin at once, each has a key of its own")
	}
	if Sealed([]byte("other"), seals[0]) || Sealed([]byte("data"), seals[0][2:]) || Sealed([]byte("data"), "no code") {
		t.Error("a wrong code is right")
	}
	entries, err := os.ReadDir(filepath.Join(home, "crdctl"))
	require.NoError(t, err, "; want the key alone")
	assert.Len(t, entries, 1, "; want the key alone")
	// Another user's machine.
	another := t.TempDir()
	t.Setenv("HOME", another)
	t.Setenv("XDG_CONFIG_HOME", another)
	_, err = Seal(nil)
	require.NoError(t, err)
	assert.False(t, Sealed([]byte("data"), seals[0]), "the code of another key is right")
}
