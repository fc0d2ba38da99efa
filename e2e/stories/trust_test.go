package stories

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// The loop comes through what happens to controllers: nothing is lost, other keys go on meanwhile, memory stays bounded and no
// goroutine is left. Each row has a loop of its own, in a process of its own, on the control plane that the rows share;
// the row of panics is TestTrustPanic.
func TestTrust(t *testing.T) {
	w := newWorld(t)
	plane, dir := w.plane()
	hook := w.trustHook()
	kubeconfig := filepath.Join(dir, ".crdctl", "kubeconfig")
	t.Run("rows", func(t *testing.T) { // it ends when all rows have
		for _, row := range []struct {
			name  string
			holds func(*trusted)
		}{
			{"api-server-gone", (*trusted).apiServerGone}, // first: it waits a minute
			{"stands-still", (*trusted).standsStill},
			{"write-hangs", (*trusted).writeHangs},
			{"watch-closed", (*trusted).watchClosed},
			{"gone-410", (*trusted).gone410},
			{"answers-in-trouble", (*trusted).answersInTrouble},
			{"conflicts", (*trusted).conflicts},
			{"key-that-fails", (*trusted).keyThatFails},
			{"hook-hangs", (*trusted).hookHangs},
			{"persistent-hook-hangs", (*trusted).persistentHookHangs},
			{"hook-crashes", (*trusted).hookCrashes},
			{"persistent-hook-killed", (*trusted).persistentHookKilled},
			{"rubbish", (*trusted).rubbish},
			{"persistent-rubbish", (*trusted).persistentRubbish},
			{"huge-answer", (*trusted).hugeAnswer},
			{"persistent-huge-answer", (*trusted).persistentHugeAnswer},
			{"hook-at-url", (*trusted).hookAtURL},
			{"crd-again", (*trusted).crdAgain},
			{"sigterm-under-load", (*trusted).sigterm},
			{"persistent-sigterm-under-load", (*trusted).persistentSigterm},
		} {
			t.Run(row.name, func(t *testing.T) {
				t.Parallel()
				row.holds(newTrusted(t, row.name, kubeconfig, hook))
			})
		}
	})
	w.end(plane)
	w.leavesNothing(dir)
}

// trustHook builds the rows' hook. A program of its own is started in a few milliseconds, which this test binary is not.
func (w *world) trustHook() string {
	w.Helper()
	hook := filepath.Join(w.dir, "hook")
	if out, err := exec.CommandContext(w.Context(), "go", "build", "-o", hook, "./testdata/trusthook").CombinedOutput(); err != nil {
		w.Fatalf("build the hook: %v\n%s", err, out)
	}
	return hook
}
