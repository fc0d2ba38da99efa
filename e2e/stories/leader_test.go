package stories

import (
	"os"
	"path/filepath"
	"strings"
)

// replicasOfAScaffold runs replicas of a scaffolded controller and the one that is built in on a control plane of another
// process, from before the CRD exists: all recover by themselves when it is installed. Of the replicas one works and one
// stands by; the first drains, then releases its lease, and the second takes over. One that loses its lease ends with an
// error, and one that does not end in order ends at the second signal.
func (w *world) replicasOfAScaffold(dir string) {
	at, err := os.MkdirTemp(w.dir, "plane-")
	w.check(err)
	w.write(filepath.Join(at, "crd.yaml"), otherCRD)
	plane := w.start(at, crdctl, "run", "--builtin", "-f", "crd.yaml")
	plane.waitFor("Started workers")
	kubeconfig, binary := filepath.Join(at, ".crdctl/kubeconfig"), filepath.Join(w.TempDir(), "controller")
	w.run(dir, "go", "build", "-o", binary, ".")
	replica := func(args ...string) *process {
		return w.start(at, binary, append([]string{"--kubeconfig", kubeconfig, "--health-bind-address=127.0.0.1:0"}, args...)...)
	}
	first := replica("--leader-elect")
	builtin := w.start(dir, crdctl, "run", "--kubeconfig", kubeconfig, "--skip-crds", "--builtin")
	first.waitFor(`"Successfully acquired lease" lock="default/crontab"`, `"Waiting for informer caches to sync"`)
	builtin.waitFor("crdctl: using the API at https://127.0.0.1:", "context crdctl of "+kubeconfig,
		"customresourcedefinition crontabs.stable.example.com is not installed yet; waiting for it")
	second := replica("--leader-elect")
	second.waitFor(`"Attempting to acquire leader lease..."`)

	w.establish(at, filepath.Join(dir, "config/crd"), "crontabs.stable.example.com")
	builtin.waitFor("customresourcedefinition crontabs.stable.example.com is installed", "Started workers")
	first.waitFor(`"Started workers" count=2`)
	w.eventually("created", at, crdctl, "kubectl", "apply", "-f", filepath.Join(dir, "config/samples"))
	builtin.waitFor("Object added", `Successfully synced "default/crontab-demo"`)
	first.waitFor(`"Successfully synced" crontab="default/crontab-demo"`)
	w.end(builtin, first)
	first.waitFor(`"Workers stopped"`)
	second.waitFor(`"Successfully acquired lease" lock="default/crontab"`, `"Successfully synced" crontab="default/crontab-demo"`)
	if strings.Contains(second.text()[:strings.Index(second.text(), "Successfully acquired lease")], "Starting control loop") {
		w.Error("a replica worked before it had the lease")
	}

	// Another process takes the lease away.
	w.kubectl(at, "patch", "lease", "crontab", "--type=merge", "-p", `{"spec":{"holderIdentity":"somebody","leaseDurationSeconds":3600}}`)
	if code := second.wait(); code != 1 {
		w.Errorf("the replica that lost its lease ended with exit code %d, want 1", code)
	}
	second.waitFor("the lease default/crontab is lost")

	w.replace(filepath.Join(dir, "internal/controller/crontab.go"), "// This is the place for what your controller does.", "select {}")
	w.run(dir, "go", "build", "-o", binary, ".")
	stuck := replica()
	stuck.waitFor("Processing CronTab")
	stuck.signal(os.Interrupt)
	stuck.waitFor("Stopping; a second signal exits at once", "Shutting down workers")
	stuck.signal(os.Interrupt)
	if code := stuck.wait(); code != 1 {
		w.Errorf("the controller: exit code %d after the second signal, want 1", code)
	}
	w.end(plane)
	w.leavesNothing(at)
}
