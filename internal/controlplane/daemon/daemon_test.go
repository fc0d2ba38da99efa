package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stale is a project whose control plane was killed when it ran.
func stale(t *testing.T) (root, holder string) {
	t.Helper()
	root = t.TempDir()
	dir, err := state.CreateCluster(root)
	require.NoError(t, err)
	require.NoError(t, dir.Close())
	holder = filepath.Join(state.Cluster(root), state.HolderName)
	line := fmt.Sprintf("%d %s%s\n", os.Getpid(), time.Now().Format(time.RFC3339), readyMark)
	require.NoError(t, os.WriteFile(holder, []byte(line), 0o600))
	return root, holder
}

// However many look at once, one that was killed does not run, and nobody takes its number for that of the next one: it
// may be a stranger's by now.
func TestLookAtAKilledOne(t *testing.T) {
	root, holder := stale(t)
	before, err := os.ReadFile(holder)
	require.NoError(t, err)
	var looking sync.WaitGroup
	for range 4 {
		looking.Go(func() {
			for range 500 {
				if s, err := Status(root); err != nil || s.Running || s.PID != 0 {
					t.Errorf("%+v, %v; want one that does not run", s, err)
					return
				}
				if stopped, err := Stop(t.Context(), root); stopped || err != nil {
					t.Errorf("stopped: %v, %v", stopped, err)
					return
				}
			}
		})
	}
	looking.Wait()
	if after, err := os.ReadFile(holder); err != nil || string(after) != string(before) {
		t.Errorf("looking wrote %q in place of %q, %v", after, before, err)
	}
}

// Where the folder for the state is a file, nothing runs. What is wrong with it is said by the one who makes the folder.
func TestLookWhereTheFolderIsAFile(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, state.Name), nil, 0o600))
	if s, err := Status(root); err != nil || s.Running || s.URL != "" {
		t.Errorf("%+v, %v; want one that does not run", s, err)
	}
}

func TestLookAtOneThatRuns(t *testing.T) {
	root, _ := stale(t)
	// as every start does
	_, err := Status(root)
	require.NoError(t, err)
	dir, err := state.OpenCluster(root)
	require.NoError(t, err)
	defer func() { _ = dir.Close() }()
	lock, err := hold(t.Context(), dir)
	require.NoError(t, err)
	defer func() { _ = lock.Close() }()
	if s, err := Status(root); err != nil || !s.Running || s.Ready || s.PID != 0 {
		t.Errorf("before it says who it is: %+v, %v", s, err)
	}
	began := time.Now().Truncate(time.Second)
	for _, mark := range []string{"", readyMark} {
		require.NoError(t, note(lock, began, mark))
		if s, err := Status(root); err != nil || !s.Running || s.PID != os.Getpid() || !s.Since.Equal(began) || s.Ready != (mark == readyMark) {
			t.Errorf("with the mark %q: %+v, %v", mark, s, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = hold(ctx, dir)
	assert.EqualError(t, err, ErrRunning.Error(), "a second holder: %v", ErrRunning)
	if found, err := Reset(root); found || err == nil {
		t.Errorf("reset of one that runs: %v, %v", found, err)
	}
}
