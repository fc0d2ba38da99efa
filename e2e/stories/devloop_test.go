package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A controller that does not compile, and then does; one that dies; a change of the API while it runs.
func TestDevLoop(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	controller := filepath.Join(dir, "internal/controller/controller.go")
	const starting = `logger.Info("Starting control loop", "controller", c.name)`
	w.replace(controller, starting, strings.Replace(starting, "Info", "Inof", 1))

	if _, stderr, err := w.try(dir, crdctl, "run", "--once"); exitCode(err) != 2 ||
		!strings.Contains(stderr, "internal/controller/controller.go:") || !strings.Contains(stderr, "logger.Inof undefined") {
		t.Errorf("run --once of what does not compile: %v\n%s", err, stderr)
	}
	w.leavesNothing(dir)

	// The types were edited while nothing ran: what is generated of them comes first. A CRD that is no YAML is waited for.
	types := filepath.Join(dir, "pkg/apis/stable/v1beta1/types.go")
	w.replace(types, "\tReplicas *int32", "\tPaused bool `json:\"paused,omitempty\"`\n\n\tReplicas *int32")
	broken := filepath.Join(dir, "config/crd/broken.yaml")
	w.write(broken, "spec: [\n")
	run := w.start(dir, crdctl, "run")
	run.waitFor("updated config/crd/stable.example.com_crontabs.yaml", "config/crd/broken.yaml:1", "crdctl: waiting for a change")
	if err := os.Remove(broken); err != nil {
		t.Fatal(err)
	}
	run.waitFor("crdctl: installed crontabs.stable.example.com")
	if got := w.kubectl(dir, "get", "crd", "crontabs.stable.example.com", "-o", "yaml"); !strings.Contains(got, "paused:") {
		t.Error("the CRD has not the field that was new before the run")
	}
	run.waitFor("crdctl: the controller does not compile:", "internal/controller/controller.go:", "logger.Inof undefined", "crdctl: waiting for a change")
	w.replace(controller, "Inof", "Info")
	run.waitFor("crdctl: building the controller", `"Started workers"`)

	// A save that does not compile leaves the last good one running.
	w.replace(controller, "package controller", "package contrloler")
	run.waitFor("does not compile", "goes on running; waiting for a change")
	w.run(dir, crdctl, "kubectl", "apply", "-f", "config/samples")
	run.waitFor(`"Successfully synced" crontab="default/crontab-demo"`)

	// A save while the one before is built.
	w.replace(controller, "package contrloler", "package controller")
	w.replace(controller, "Starting control loop", "Starting control loop, twice")
	run.waitFor("crdctl: building the controller")
	w.replace(controller, "Starting control loop, twice", "Starting control loop, once more")
	run.waitFor("crdctl: the sources changed meanwhile; beginning again", "crdctl: building the controller", "Starting control loop, once more", `"Started workers"`)
	w.replace(controller, "Starting control loop, once more", "Starting control loop")
	run.waitFor("Starting control loop\"", `"Started workers"`)
	if strings.Contains(run.text(), "Starting control loop, twice") {
		t.Error("the controller of a save that was overtaken ran")
	}

	// One that dies: its exit code, and the next chance.
	w.replace(controller, starting, `panic("I die")`)
	run.waitFor("crdctl: stopping the controller", "I die", "crdctl: the controller ended by itself: exit status 2", "crdctl: waiting for a change")
	w.replace(controller, `panic("I die")`, starting)
	run.waitFor(`"Started workers"`)

	// A new field: generated, installed, built and used.
	w.replace(types, "\tReplicas *int32", "\tSuspend bool `json:\"suspend,omitempty\"`\n\n\tReplicas *int32")
	run.waitFor("updated config/crd/stable.example.com_crontabs.yaml", "wrote 3, removed 0", "crdctl: installed crontabs.stable.example.com", `"Started workers"`)
	w.run(dir, crdctl, "kubectl", "patch", "crontab", "crontab-demo", "--type=merge", "-p", `{"spec":{"suspend":true}}`)
	run.waitFor(`"suspend":true`)

	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	w.leavesNothing(dir)
	if out := w.run(dir, crdctl, "verify"); !strings.Contains(out, "up to date") {
		t.Errorf("verify: %s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "bin")); !os.IsNotExist(err) {
		t.Errorf("bin is left behind (%v)", err)
	}
}
