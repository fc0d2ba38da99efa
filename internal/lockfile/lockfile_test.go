package lockfile

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Of many that want a turn in one folder, one at a time has it; another folder is another matter.
func TestOneAtATime(t *testing.T) {
	dir := t.TempDir()
	elsewhere, err := take(t.Context(), dir, "/elsewhere", nil)
	if err != nil {
		t.Fatal(err)
	}
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
			if err := turn.Unlock(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d at once", most.Load())
	}
	if err := elsewhere.Unlock(); err != nil {
		t.Error(err)
	}
}

// Waiting is said once, and ends with the context.
func TestWaitingEnds(t *testing.T) {
	dir := t.TempDir()
	held, err := take(t.Context(), dir, "/project", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	said := 0
	_, err = take(ctx, dir, "/project", func() { said++; cancel() })
	if !errors.Is(err, context.Canceled) || said != 1 {
		t.Errorf("error %v, said %d times", err, said)
	}
	if err := held.Unlock(); err != nil {
		t.Error(err)
	}
}

const childEnv = "CRDCTL_TEST_TURNS_DIR"

// TestChild is the process that TestKilledHolder kills.
func TestChild(t *testing.T) {
	dir := os.Getenv(childEnv)
	if dir == "" {
		return
	}
	if _, err := take(t.Context(), dir, "/project", nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "held"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {}
}

// Who is killed gives up the turn.
func TestKilledHolder(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "held")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the child does not take the turn")
		}
	}
	waited := make(chan struct{})
	go func() {
		<-waited
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	}()
	turn, err := take(t.Context(), dir, "/project", func() { close(waited) })
	if err != nil {
		t.Fatal(err)
	}
	if err := turn.Unlock(); err != nil {
		t.Error(err)
	}
}

// Without a place for locks, everybody goes on.
func TestNoPlaceForLocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := take(t.Context(), filepath.Join(file, "turns"), "/project", nil); err != nil {
			t.Error(err)
		}
	}
}
