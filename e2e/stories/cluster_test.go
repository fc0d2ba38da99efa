package stories

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdctl/crdctl/internal/controlplane/sockettest"
)

// A control plane in the background: start, use by run and kubectl, what is kept over a stop, reset.
func TestClusterInTheBackground(t *testing.T) {
	w := newWorld(t)
	dir := w.small()
	t.Cleanup(func() { _, _, _ = w.try(dir, crdctl, "cluster", "stop") })
	if out, stderr, err := w.try(dir, crdctl, "cluster", "status"); exitCode(err) != 1 || !strings.Contains(out, "no control plane runs in the background") {
		t.Errorf("status before the start: %v\n%s%s", err, out, stderr)
	}
	if out := w.run(dir, crdctl, "cluster", "stop"); !strings.Contains(out, "no control plane runs in the background") {
		t.Errorf("stop before the start: %s", out)
	}
	if out := w.run(dir, crdctl, "cluster", "start"); !strings.Contains(out, "control plane ready in ") {
		t.Errorf("start: %s", out)
	}
	kubeconfig := filepath.Join(dir, ".crdctl/cluster/kubeconfig")
	first, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(kubeconfig); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("kubeconfig: mode %v, %v; want 0600", info.Mode(), err)
	}
	if out := w.run(dir, crdctl, "cluster", "status"); !strings.Contains(out, "running at https://127.0.0.1:") {
		t.Errorf("status: %s", out)
	}
	state := w.clusterStatus(dir)
	sockettest.OnlyAt(w, state.PID, state.URL)
	if _, stderr, err := w.try(dir, crdctl, "cluster", "start"); exitCode(err) != 2 || !strings.Contains(stderr, "runs already") {
		t.Errorf("a second start: %v\n%s", err, stderr)
	}
	if _, stderr, err := w.try(dir, crdctl, "cluster", "reset"); exitCode(err) != 2 || !strings.Contains(stderr, `stop it first with "crdctl cluster stop"`) {
		t.Errorf("reset of one that runs: %v\n%s", err, stderr)
	}
	if _, stderr, err := w.try(dir, crdctl, "run", "--pods=pending"); exitCode(err) != 2 || !strings.Contains(stderr, "runs in the background for this project, and --data-dir") {
		t.Errorf("run with another control plane's flags: %v\n%s", err, stderr)
	}

	run := w.start(dir, crdctl, "run")
	run.waitFor("crdctl: using the control plane that runs in the background, at https://127.0.0.1:", "crdctl: installed others.example.com", "Started workers")
	w.kubectl(dir, "apply", "-f", "other.yaml")
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}
	if out := w.run(dir, crdctl, "kubectl", "get", "others", "-o", "name"); !strings.Contains(out, "demo") {
		t.Errorf("after the run, get lists %q", out)
	}

	if out := w.run(dir, crdctl, "cluster", "stop"); !strings.Contains(out, "stopped; its objects are kept") {
		t.Errorf("stop: %s", out)
	}
	if left := w.processes(); len(left) > 0 {
		t.Errorf("after the stop: %v", left)
	}
	w.run(dir, crdctl, "cluster", "start")
	if second, err := os.ReadFile(kubeconfig); err != nil || string(second) != string(first) {
		t.Errorf("after a restart the kubeconfig is another one (%v)", err)
	}
	if out := w.run(dir, crdctl, "kubectl", "get", "others", "-o", "name"); !strings.Contains(out, "demo") {
		t.Errorf("after a restart, get lists %q", out)
	}

	// A run that is killed leaves a kubeconfig behind; kubectl finds the control plane all the same.
	run = w.start(dir, crdctl, "run")
	run.waitFor("Started workers")
	run.signal(os.Kill)
	<-run.done
	w.write(filepath.Join(dir, ".crdctl/kubeconfig"), strings.ReplaceAll(string(first), "127.0.0.1:", "127.0.0.1:1"))
	if out := w.run(dir, crdctl, "kubectl", "get", "others", "-o", "name"); !strings.Contains(out, "demo") {
		t.Errorf("after a killed run, get lists %q", out)
	}

	// A run that loses it says so.
	run = w.start(dir, crdctl, "run")
	run.waitFor("Started workers")
	w.run(dir, crdctl, "cluster", "stop")
	run.waitFor("crdctl: the control plane ended by itself: the process in the background stopped")
	if code := run.wait(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	w.run(dir, crdctl, "cluster", "start")
	run = w.start(dir, crdctl, "run", "--builtin")
	run.waitFor("Started workers")
	w.run(dir, crdctl, "cluster", "stop")
	if code := run.wait(); code != 2 || strings.Count(run.text(), "the control plane ended by itself") != 1 {
		t.Errorf("the built-in controller: exit code %d, want 2, with the reason once:\n%s", code, run.text())
	}
	if out := w.run(dir, crdctl, "cluster", "reset"); !strings.Contains(out, "removed") {
		t.Errorf("reset: %s", out)
	}
	w.leavesNothing(dir)
}

// clusterStatus is what "cluster status -o json" prints of a control plane that runs.
func (w *world) clusterStatus(dir string) (state struct {
	PID int
	URL string
}) {
	w.Helper()
	if err := json.Unmarshal([]byte(w.run(dir, crdctl, "cluster", "status", "-o", "json")), &state); err != nil {
		w.Fatal(err)
	}
	return state
}

// A folder that is moved takes its control plane with it: the one that runs ends, and says why.
func TestMovedProject(t *testing.T) {
	w := newWorld(t)
	dir, moved := w.small(), filepath.Join(w.dir, "moved")
	w.run(dir, crdctl, "cluster", "start")
	t.Cleanup(func() { _, _, _ = w.try(moved, crdctl, "cluster", "stop") })
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	w.until("the process in the background ended", func() bool { return len(w.processes()) == 0 })
	if log, err := os.ReadFile(filepath.Join(moved, ".crdctl/cluster/log")); err != nil || !strings.Contains(string(log), dir+" was moved or removed while its control plane ran; start it again where it is now") {
		t.Errorf("log (%v):\n%s", err, log)
	}
	w.run(moved, crdctl, "cluster", "start")
	w.run(moved, crdctl, "cluster", "stop")
	w.run(moved, crdctl, "cluster", "reset")

	run := w.start(moved, crdctl, "run")
	run.waitFor("Started workers")
	if err := os.Rename(moved, dir); err != nil {
		t.Fatal(err)
	}
	run.waitFor("crdctl: stopping the controller", "crdctl: "+moved+" was moved or removed while crdctl ran in it; run again where it is now")
	if code := run.wait(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	if _, err := os.Stat(moved); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s came back: %v", moved, err)
	}
	w.leavesNothing(dir) // not even where it was moved to
}
