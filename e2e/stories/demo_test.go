package stories

import (
	"testing"
)

// The demo of "make demo" is the walk-through from an empty directory: it ends with exit code 0 only after its controller has
// synced an object on an API server.
func TestDemo(t *testing.T) {
	w := newWorld(t)
	demo := w.start(w.dir, "sh", w.testdata("demo.sh"), crdctl)
	if code := demo.wait(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	demo.waitFor("$ crdctl init ", "$ crdctl verify", "up to date", "$ crdctl run", "crdctl: starting the control plane", "crdctl: control plane ready in ",
		"crdctl: installed crontabs.stable.example.com", "crdctl: building the controller", "crdctl: built in ", `"Started workers"`,
		"crontab-demo created", `"Successfully synced" crontab="default/crontab-demo"`, "condition met", "True", "Synced", `"crontab-demo" deleted`,
		"crdctl: stopping the controller", `"Workers stopped"`, "crdctl: stopping the control plane")
	w.leavesNothing(w.dir)
}
