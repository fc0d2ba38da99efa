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

// Of many that want a turn in one folder, one at a time has it; another folder is another matter.
func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	elsewhere, err := take(t.Context(), dir, "/elsewhere", nil)
	require.NoError(t, err)
	var inside, most atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			turn, err := take(t.Context(), dir, "/project", nil)
			if err != nil {
				t.Error(err)
				return
			}
			if n := inside.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Millisecond)
			inside.Add(-1)
			assert.NoError(t, turn.Unlock())
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, most.Load(), "at once")
	assert.NoError(t, elsewhere.Unlock())
}

// Waiting is said once, and ends with the context.
func TestWaitingEnds(t *testing.T) {
	dir := t.TempDir()
	held, err := take(t.Context(), dir, "/project", nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	said := 0
	_, err = take(ctx, dir, "/project", func() { said++; cancel() })
	assert.ErrorIs(t, err, context.Canceled, "times")
	assert.Equal(t, 1, said, "times")
	assert.NoError(t, held.Unlock())
}

const childEnv = "CRDCTL_TEST_TURNS_DIR"

// TestChild is the process that TestKilledHolder kills.
func TestChild(t *testing.T) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		return
	}
	_, err := take(t.Context(), dir, "/project", nil)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "held"), nil, 0o600))
	select {}
}

// Who is killed gives up the turn.
func TestKilledHolder(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	require.NoError(t, cmd.Start())
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "held")); err == nil {
			break
		}
		require.False(t, time.Now().After(deadline), "the child does not take the turn")
	}
	waited := make(chan struct{})
	go func() {
		<-waited
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	}()
	turn, err := take(t.Context(), dir, "/project", func() { close(waited) })
	require.NoError(t, err)
	assert.NoError(t, turn.Unlock())
}

// Without a place for locks, everybody goes on.
func TestNoPlaceForLocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for range 2 {
		_, err := take(t.Context(), filepath.Join(file, "turns"), "/project", nil)
		assert.NoError(t, err)
	}
}
