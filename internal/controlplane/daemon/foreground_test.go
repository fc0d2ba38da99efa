package daemon

import (
	"os"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/controlplane/state"
)

// A run is known by its lock; what a killed one left does not count as one that runs.
func TestRunStatus(t *testing.T) {
	root := t.TempDir()
	if f, err := RunStatus(root); f != nil || err != nil {
		t.Errorf("before a run: %+v, %v", f, err)
	}
	dir, err := state.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := RunStatus(root); err != nil || f == nil || f.PID != 0 {
		t.Errorf("a run that has not said who it is: %+v, %v", f, err)
	}
	since := time.Now().Truncate(time.Second)
	if err := Announce(dir, since, "https://127.0.0.1:1", "k"); err != nil {
		t.Fatal(err)
	}
	if f, err := RunStatus(root); err != nil || f == nil || f.PID != os.Getpid() || !f.Since.Equal(since) || f.URL != "https://127.0.0.1:1" || f.Kubeconfig != "k" {
		t.Errorf("a run: %+v, %v", f, err)
	}
	record, err := state.Record(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Release(); err != nil {
		t.Fatal(err)
	}
	if dir, err = state.Open(root); err != nil {
		t.Fatal(err)
	}
	if err := dir.WriteRecord(record); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(root + "/" + state.Name + "/lock"); err != nil {
		t.Fatal(err)
	}
	if f, err := RunStatus(root); f != nil || err != nil {
		t.Errorf("what a killed run left: %+v, %v", f, err)
	}
	if err := dir.Release(); err != nil {
		t.Error(err)
	}
}
