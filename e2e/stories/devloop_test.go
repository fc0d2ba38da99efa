package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The story of S1's own controller, as docs/scaffold.md makes it: a controller that does not compile, and then does; what a
// user does with it; one that dies; a change of the API while it runs. Then the same controller as replicas.
func TestProjectsController(t *testing.T) {
	w := newWorld(t)
	dir := w.system("S1")
	if clients, err := os.ReadFile(filepath.Join(dir, "pkg/client/clientset/versioned/typed/stable/v1beta1/crontab.go")); err != nil || strings.Contains(string(clients), "UpdateStatus") {
		t.Errorf("the client of a kind without a status has UpdateStatus (%v)", err)
	}
	t.Run("dev loop", func(t *testing.T) { w.on(t).devLoop(dir) })
	t.Run("replicas", func(t *testing.T) { w.on(t).replicasOfAScaffold(dir) })
}

func (w *world) devLoop(dir string) {
	controller := filepath.Join(dir, "internal/controller/controller.go")
	const starting = `logger.Info("Starting control loop", "controller", c.name)`
	w.replace(controller, starting, strings.Replace(starting, "Info", "Inof", 1))

	if _, stderr, err := w.try(dir, crdctl, "run", "--once"); exitCode(err) != 2 ||
		!strings.Contains(stderr, "internal/controller/controller.go:") || !strings.Contains(stderr, "logger.Inof undefined") {
		w.Errorf("run --once of what does not compile: %v\n%s", err, stderr)
	}
	w.leavesNothing(dir)

	// The types were edited while nothing ran: what is generated of them comes first. A CRD that is no YAML is waited for.
	types := filepath.Join(dir, "pkg/apis/stable/v1beta1/types.go")
	w.replace(types, "\tReplicas *int32", "\tPaused bool `json:\"paused,omitempty\"`\n\n\tReplicas *int32")
	broken := filepath.Join(dir, "config/crd/broken.yaml")
	w.write(broken, "spec: [\n")
	run := w.start(dir, crdctl, "run")
	run.waitFor("updated config/crd/stable.example.com_crontabs.yaml", "config/crd/broken.yaml:1", "crdctl: waiting for a change")
	w.check(os.Remove(broken))
	run.waitFor("crdctl: installed crontabs.stable.example.com")
	if got := w.kubectl(dir, "get", "crd", "crontabs.stable.example.com", "-o", "yaml"); !strings.Contains(got, "paused:") {
		w.Error("the CRD has not the field that was new before the run")
	}
	run.waitFor("crdctl: the controller does not compile:", "internal/controller/controller.go:", "logger.Inof undefined", "crdctl: waiting for a change")
	w.replace(controller, "Inof", "Info")
	run.waitFor("crdctl: building the controller", "crdctl: built in ",
		`"Event handlers set up"`, `"Starting control loop"`, `"Waiting for informer caches to sync"`, `"Started workers" count=2`)

	// A save that does not compile leaves the last good one running.
	w.replace(controller, "package controller", "package contrloler")
	run.waitFor("does not compile", "goes on running; waiting for a change")
	w.lifeOfACronTab(dir, run)

	// A save while the one before is built.
	w.replace(controller, "package contrloler", "package controller")
	w.replace(controller, "Starting control loop", "Starting control loop, twice")
	run.waitFor("crdctl: building the controller")
	w.replace(controller, "Starting control loop, twice", "Starting control loop, once more")
	run.waitFor("crdctl: the sources changed meanwhile; beginning again", "crdctl: building the controller", "Starting control loop, once more", `"Started workers"`)
	if strings.Contains(run.text(), "Starting control loop, twice") {
		w.Error("the controller of a save that was overtaken ran")
	}

	// One that dies: its exit code, and the next chance, with a new field: generated, installed, built and used.
	const again = `logger.Info("Starting control loop, once more", "controller", c.name)`
	w.replace(controller, again, `panic("I die")`)
	run.waitFor("crdctl: stopping the controller", "I die", "crdctl: the controller ended by itself: exit status 2", "crdctl: waiting for a change")
	w.replace(types, "\tReplicas *int32", "\tSuspend bool `json:\"suspend,omitempty\"`\n\n\tReplicas *int32")
	w.replace(controller, `panic("I die")`, starting)
	run.waitFor("updated config/crd/stable.example.com_crontabs.yaml", "wrote 3, removed 0", "crdctl: installed crontabs.stable.example.com", `"Started workers"`)
	w.kubectl(dir, "apply", "-f", "config/samples")
	w.kubectl(dir, "patch", "crontab", "crontab-demo", "--type=merge", "-p", `{"spec":{"suspend":true}}`)
	run.waitFor(`"suspend":true`)

	w.end(run)
	run.waitFor("crdctl: stopping the controller", `"Workers stopped"`, "crdctl: stopping the control plane")
	w.leavesNothing(dir)
	if out := w.run(dir, crdctl, "verify"); !strings.Contains(out, "up to date") {
		w.Errorf("verify: %s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "bin")); !os.IsNotExist(err) {
		w.Errorf("bin is left behind (%v)", err)
	}
	if _, stderr, err := w.try(dir, crdctl, "kubectl", "get", "crontabs"); err == nil || !strings.Contains(stderr, "no control plane runs for") {
		w.Errorf("kubectl after the end: %v, %s", err, stderr)
	}
}

// lifeOfACronTab creates, changes and deletes the sample with the embedded kubectl, and holds what the controller and
// kubectl say.
func (w *world) lifeOfACronTab(dir string, run *process) {
	w.Helper()
	const key = `crontab="default/crontab-demo"`
	if got := w.kubectl(dir, "apply", "-f", "config/samples"); got != "crontab.stable.example.com/crontab-demo created\n" {
		w.Errorf("apply: %s", got)
	}
	run.waitFor(`"Processing CronTab" `+key+` resourceVersion=`, `"replicas":2`, `"Successfully synced" `+key)
	table := w.kubectl(dir, "get", "ct")
	for _, want := range []string{"NAME", "CRONSPEC", "IMAGE", "REPLICAS", "AGE", "crontab-demo", "* * * * */5", "nginx:1.29"} {
		if !strings.Contains(table, want) {
			w.Errorf("no %q in:\n%s", want, table)
		}
	}
	w.eventually("Synced", dir, crdctl, "kubectl", "get", "events", "--field-selector", "reason=Synced,type=Normal,involvedObject.name=crontab-demo,source=crontab")
	if got := w.kubectl(dir, "describe", "crontab", "crontab-demo"); !strings.Contains(got, "Cron Spec:") || !strings.Contains(got, "Synced") {
		w.Errorf("describe:\n%s", got)
	}
	// The API server publishes the schema of a new CRD a moment after it serves it.
	w.eventually("FIELD: replicas <integer>", dir, crdctl, "kubectl", "explain", "crontab.spec.replicas")

	w.kubectl(dir, "patch", "crontab", "crontab-demo", "--type=merge", "-p", `{"spec":{"replicas":5}}`)
	run.waitFor(`"Processing CronTab" `+key+` resourceVersion="`+w.kubectl(dir, "get", "ct", "crontab-demo", "-o", "jsonpath={.metadata.resourceVersion}")+`"`,
		`"replicas":5`, `"Successfully synced" `+key)
	if got := w.kubectl(dir, "delete", "crontab", "crontab-demo"); !strings.Contains(got, `"crontab-demo" deleted`) {
		w.Errorf("delete: %s", got)
	}
	run.waitFor(`"CronTab is gone from the cache; deletion handled" `+key, `"Successfully synced" `+key)
	if got := w.kubectl(dir, "get", "crontabs", "-o", "name"); got != "" {
		w.Errorf("after the delete, get lists %s", got)
	}
	if _, stderr, err := w.try(dir, crdctl, "kubectl", "apply", "-f", "missing.yaml"); err == nil || !strings.Contains(stderr, `"missing.yaml" does not exist`) {
		w.Errorf("kubectl apply of a missing file: %v, %s", err, stderr)
	}
	if _, stderr, err := w.try(dir, crdctl, "run"); err == nil || !strings.Contains(stderr, "crdctl run is running for this project already") {
		w.Errorf("a second run: %v, %s", err, stderr)
	}
}
