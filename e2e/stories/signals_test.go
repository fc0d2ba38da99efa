package stories

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Ctrl-C at any moment of the start: the run ends, and nothing is left.
func TestInterruptedStart(t *testing.T) {
	w := newWorld(t)
	dir := w.small()
	interrupted := func(t *testing.T, moment func(run *process)) {
		step := &world{T: t, dir: w.dir, tmp: t.TempDir()}
		step.mark = "CRDCTL_E2E=" + step.tmp
		run := step.start(dir, crdctl, "run")
		moment(run)
		code := run.interrupt()
		// Before main is reached, the signal's own effect ends the process, with nothing begun: not a word was said. How long it
		// takes until main is the machine's affair.
		if code != 0 && (code != -1 || run.text() != "") {
			t.Errorf("exit code %d", code)
		}
		for _, word := range []string{"goroutine ", "panic"} {
			if strings.Contains(run.text(), word) {
				t.Errorf("%q is printed:\n%s", word, run.text())
			}
		}
		step.leavesNothing(dir)
	}
	for _, after := range []time.Duration{0, 60, 200, 500, 1200} {
		t.Run(fmt.Sprintf("%dms", after), func(t *testing.T) {
			interrupted(t, func(*process) { time.Sleep(after * time.Millisecond) })
		})
	}
	for _, said := range []string{"crdctl: starting the control plane", "crdctl: control plane ready in ", "crdctl: building the controller"} {
		t.Run(said, func(t *testing.T) {
			interrupted(t, func(run *process) { run.waitFor(said) })
		})
	}
}

// A second Ctrl-C while the start cannot be broken off: the process exits with 2, and what it made in the project is gone.
func TestSecondSignalInStart(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "crd.yaml"), []byte(otherCRD), 0o644); err != nil {
		t.Fatal(err)
	}
	run := w.start(w.dir, crdctl, "run", "--builtin", "-f", "crd.yaml")
	run.waitFor("crdctl: starting the control plane")
	time.Sleep(300 * time.Millisecond)
	run.signal(os.Interrupt)
	time.Sleep(350 * time.Millisecond) // or it counts as one
	run.signal(os.Interrupt)
	time.Sleep(50 * time.Millisecond)
	run.signal(syscall.SIGSTOP) // a slow machine: the time for an orderly end passes
	time.Sleep(3200 * time.Millisecond)
	run.signal(syscall.SIGCONT)
	if code := run.wait(); code != 2 && code != 0 { // 0 of a machine that is quicker than the second signal
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Lstat(filepath.Join(w.dir, ".crdctl")); !os.IsNotExist(err) {
		t.Errorf(".crdctl is left: %v", err)
	}
}

// What would end etcd or the API server in the middle of something is said before anything is started.
func TestLimits(t *testing.T) {
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "crd.yaml"), []byte(otherCRD), 0o644); err != nil {
		t.Fatal(err)
	}
	_, stderr, err := w.try(w.dir, "sh", "-c", "ulimit -n 128 && exec \"$0\" run --builtin -f crd.yaml", crdctl)
	if exitCode(err) != 2 || !strings.Contains(stderr, "this process may have 128 files open") {
		t.Errorf("with few files: %v\n%s", err, stderr)
	}
	w.leavesNothing(w.dir)
}

// A controller that does not end in order: a second signal to crdctl ends it at once. (The second signal to a scaffolded
// controller itself is in TestProjectsController.)
func TestSecondSignal(t *testing.T) {
	w := newWorld(t)
	dir := w.small()
	w.replace(filepath.Join(dir, "main.go"), "stuck = false", "stuck = true")
	_, kubeconfig := w.plane()
	run := w.start(dir, crdctl, "run", "--kubeconfig", kubeconfig, "--skip-crds")
	run.waitFor("Started workers")
	run.signal(os.Interrupt)
	run.waitFor("crdctl: stopping the controller", "Shutting down workers", "crdctl: waiting up to 20s for the controller; Ctrl-C kills it")
	run.signal(os.Interrupt)
	if code := run.wait(); code != 2 {
		t.Errorf("crdctl run: exit code %d after the second signal, want 2", code)
	}
	run.waitFor("second signal; leaving at once")
	w.until("no process is left", func() bool { return len(w.processes()) == 0 })
}
