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
)

// stale is a project whose control plane was killed when it ran.
func stale(t *testing.T) (root, holder string) {
	t.Helper()
	root = t.TempDir()
	dir, err := state.CreateCluster(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	holder = filepath.Join(state.Cluster(root), state.HolderName)
	line := fmt.Sprintf("%d %s%s\n", os.Getpid(), time.Now().Format(time.RFC3339), readyMark)
	if err := os.WriteFile(holder, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	return root, holder
}

// However many look at once, one that was killed does not run, and nobody takes its number for that of the next one: it
// may be a stranger's by now.
func TestLookAtAKilledOne(t *testing.T) {
	root, holder := stale(t)
	before, err := os.ReadFile(holder)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(filepath.Join(root, state.Name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := Status(root); err != nil || s.Running || s.URL != "" {
		t.Errorf("%+v, %v; want one that does not run", s, err)
	}
}

func TestLookAtOneThatRuns(t *testing.T) {
	root, _ := stale(t)
	if _, err := Status(root); err != nil { // as every start does
		t.Fatal(err)
	}
	dir, err := state.OpenCluster(root)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dir.Close() }()
	lock, err := hold(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if s, err := Status(root); err != nil || !s.Running || s.Ready || s.PID != 0 {
		t.Errorf("before it says who it is: %+v, %v", s, err)
	}
	began := time.Now().Truncate(time.Second)
	for _, mark := range []string{"", readyMark} {
		if err := note(lock, began, mark); err != nil {
			t.Fatal(err)
		}
		if s, err := Status(root); err != nil || !s.Running || s.PID != os.Getpid() || !s.Since.Equal(began) || s.Ready != (mark == readyMark) {
			t.Errorf("with the mark %q: %+v, %v", mark, s, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := hold(ctx, dir); err == nil || err.Error() != ErrRunning.Error() {
		t.Errorf("a second holder: %v, want %v", err, ErrRunning)
	}
	if found, err := Reset(root); found || err == nil {
		t.Errorf("reset of one that runs: %v, %v", found, err)
	}
}
