package daemon

import (
	"os"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/state"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run is known by its lock; what a killed one left does not count as one that runs.
func TestRunStatus(t *testing.T) {
	root := t.TempDir()
	if f, err := RunStatus(root); f != nil || err != nil {
		t.Errorf("before a run: %+v, %v", f, err)
	}
	dir, err := state.Open(root)
	require.NoError(t, err)
	if f, err := RunStatus(root); err != nil || f == nil || f.PID != 0 {
		t.Errorf("a run that has not said who it is: %+v, %v", f, err)
	}
	since := time.Now().Truncate(time.Second)
	require.NoError(t, Announce(dir, since, "https://127.0.0.1:1", "k"))
	if f, err := RunStatus(root); err != nil || f == nil || f.PID != os.Getpid() || !f.Since.Equal(since) || f.URL != "https://127.0.0.1:1" || f.Kubeconfig != "k" {
		t.Errorf("a run: %+v, %v", f, err)
	}
	record, err := state.Record(root)
	require.NoError(t, err)
	require.NoError(t, dir.Release())
	dir, err = state.Open(root)
	require.NoError(t, err)
	require.NoError(t, dir.WriteRecord(record))
	require.NoError(t, os.Remove(root+"/"+state.Name+"/lock"))
	if f, err := RunStatus(root); f != nil || err != nil {
		t.Errorf("what a killed run left: %+v, %v", f, err)
	}
	assert.NoError(t, dir.Release())
}
