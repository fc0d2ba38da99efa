// SPDX-License-Identifier: Apache-2.0

package lockfile

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cacheIn moves the user's cache directory.
func cacheIn(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
}

// Of many that want a turn in one directory, one at a time has it; another directory is another matter.
func TestOneAtATime(t *testing.T) {
	cacheIn(t, t.TempDir())
	elsewhere, err := Lock(t.Context(), "/elsewhere", nil)
	require.NoError(t, err)
	var inside atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			turn, err := Lock(t.Context(), "/project", nil)
			if !assert.NoError(t, err) {
				return
			}
			assert.EqualValues(t, 1, inside.Add(1), "at once")
			time.Sleep(time.Millisecond)
			inside.Add(-1)
			assert.NoError(t, turn.Unlock())
		})
	}
	all.Wait()
	assert.NoError(t, elsewhere.Unlock())
}

// Waiting is reported once, and ends with the context.
func TestWaitingEnds(t *testing.T) {
	cacheIn(t, t.TempDir())
	held, err := Lock(t.Context(), "/project", nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	reports := 0
	_, err = Lock(ctx, "/project", func() { reports++; cancel() })
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, reports)
	assert.NoError(t, held.Unlock())
}

const childEnv = "CRDCTL_TEST_HELD_FILE"

// TestChild is the process that TestKilledHolder kills.
func TestChild(t *testing.T) {
	held := os.Getenv(childEnv)
	if held == "" {
		return
	}
	_, err := Lock(t.Context(), "/project", nil)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(held, nil, 0o600))
	select {}
}

// A process that is killed gives up the turn.
func TestKilledHolder(t *testing.T) {
	cacheIn(t, t.TempDir())
	held := filepath.Join(t.TempDir(), "held")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+held)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { _, err := os.Stat(held); return err == nil }, time.Minute, time.Millisecond)
	turn, err := Lock(t.Context(), "/project", func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	require.NoError(t, err)
	assert.NoError(t, turn.Unlock())
}

// Without a place for locks, every process goes on.
func TestNoPlaceForLocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cacheIn(t, file)
	for range 2 {
		_, err := Lock(t.Context(), "/project", nil)
		assert.NoError(t, err)
	}
}
