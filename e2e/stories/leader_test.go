package stories

import (
	"path/filepath"
	"strings"
	"testing"
)

// Two replicas of a scaffolded controller: one works, one stands by; the first drains, then releases its lease, and the
// second takes over. One that loses its lease ends with an error.
func TestLeaderElection(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	plane := w.start(w.dir, crdctl, "run", "--builtin", "-f", filepath.Join(dir, "config/crd"))
	plane.waitFor("Started workers")
	w.run(dir, "go", "build", "-o", "bin/controller", ".")
	replica := func() *process {
		return w.start(dir, filepath.Join(dir, "bin/controller"), "--kubeconfig", filepath.Join(w.dir, ".crdctl/kubeconfig"),
			"--leader-elect", "--health-bind-address=127.0.0.1:0")
	}
	first := replica()
	first.waitFor(`"Successfully acquired lease" lock="default/crontab"`, `"Started workers" count=2`)
	second := replica()
	second.waitFor(`"Attempting to acquire leader lease..."`)

	w.kubectl(w.dir, "apply", "-f", filepath.Join(dir, "config/samples"))
	first.waitFor(`"Successfully synced" crontab="default/crontab-demo"`)
	if code := first.interrupt(); code != 0 {
		t.Errorf("the leader ended with exit code %d, want 0", code)
	}
	first.waitFor(`"Workers stopped"`)
	second.waitFor(`"Successfully acquired lease" lock="default/crontab"`, `"Successfully synced" crontab="default/crontab-demo"`)
	if strings.Contains(second.text()[:strings.Index(second.text(), "Successfully acquired lease")], "Starting control loop") {
		t.Error("a replica worked before it had the lease")
	}

	// Somebody else takes the lease away.
	w.kubectl(w.dir, "patch", "lease", "crontab", "--type=merge", "-p", `{"spec":{"holderIdentity":"somebody","leaseDurationSeconds":3600}}`)
	if code := second.wait(); code != 1 {
		t.Errorf("the replica that lost its lease ended with exit code %d, want 1", code)
	}
	second.waitFor("the lease default/crontab is lost")
	w.end(plane)
	w.leavesNothing(w.dir)
}
