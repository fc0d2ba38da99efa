package stories

import (
	"path/filepath"
	"strings"
	"testing"
)

// The story of the walk-through, with the project's own controller: create, update of a field, delete.
func TestStoryOfTheProjectsController(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	run := w.start(dir, crdctl, "run")
	run.waitFor(
		"crdctl: starting the control plane", "crdctl: control plane ready in ", "crdctl: installed crontabs.stable.example.com",
		"crdctl: building the controller", "crdctl: built in ",
		`"Event handlers set up"`, `"Starting control loop"`, `"Waiting for informer caches to sync"`, `"Started workers" count=2`,
	)
	w.kubectlStory(dir, run, kubectlStory{
		created: []string{`"Processing CronTab" crontab="default/crontab-demo" resourceVersion=`, `"replicas":2`, `"Successfully synced" crontab="default/crontab-demo"`},
		updated: []string{`"Processing CronTab" crontab="default/crontab-demo" resourceVersion=`, `"replicas":5`, `"Successfully synced" crontab="default/crontab-demo"`},
		deleted: []string{`"CronTab is gone from the cache; deletion handled" crontab="default/crontab-demo"`, `"Successfully synced" crontab="default/crontab-demo"`},
		source:  "crontab", ready: "True",
	})

	if _, stderr, err := w.try(dir, crdctl, "run"); err == nil || !strings.Contains(stderr, "crdctl run is running for this project already") {
		t.Errorf("a second run: %v, %s", err, stderr)
	}
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}
	run.waitFor("crdctl: stopping the controller", `"Workers stopped"`, "crdctl: stopping the control plane")
	w.leavesNothing(dir)
	if _, stderr, err := w.try(dir, crdctl, "kubectl", "get", "crontabs"); err == nil || !strings.Contains(stderr, "no control plane runs for") {
		t.Errorf("kubectl after the end: %v, %s", err, stderr)
	}
}

// The same story with the controller that is built in, in a folder that has nothing but a CRD.
func TestStoryOfTheBuiltinController(t *testing.T) {
	w := newWorld(t)
	project := w.crontab()
	dir := w.dir
	run := w.start(dir, crdctl, "run", "--builtin", "-f", filepath.Join(project, "config/crd"))
	run.waitFor("crdctl: control plane ready in ", "crdctl: installed crontabs.stable.example.com",
		"Event handlers set up", "Starting control loop", "Waiting for caches to sync", "Caches synced", "Started workers", "count=2")
	w.kubectlStory(dir, run, kubectlStory{
		sample:  filepath.Join(project, "config/samples"),
		created: []string{"Object added", `\"replicas\":2`, `Successfully synced "default/crontab-demo"`},
		updated: []string{"Spec changed", "resourceVersion=", `\"replicas\":5`, `Successfully synced "default/crontab-demo"`},
		deleted: []string{"Key is gone from the cache", "Deletion handled", `Successfully synced "default/crontab-demo"`},
		source:  "crdctl",
	})
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}
	w.leavesNothing(dir)
}

// kubectlStory is what a controller says while a user works with an object.
type kubectlStory struct {
	sample                    string // folder of the sample; the default is the project's
	created, updated, deleted []string
	source                    string // of the events
	ready                     string // the condition Ready, where the controller writes one
}

// kubectlStory creates, changes and deletes the sample with the embedded kubectl, and holds what the controller and
// kubectl say.
func (w *world) kubectlStory(dir string, run *process, s kubectlStory) {
	w.Helper()
	kubectl := func(args ...string) string {
		w.Helper()
		return w.run(dir, crdctl, append([]string{"kubectl"}, args...)...)
	}
	if s.sample == "" {
		s.sample = "config/samples"
	}
	if got := kubectl("apply", "-f", s.sample); got != "crontab.stable.example.com/crontab-demo created\n" {
		w.Errorf("apply: %s", got)
	}
	run.waitFor(s.created...)
	if s.ready != "" {
		kubectl("wait", "--for=condition=Ready", "crontab/crontab-demo", "--timeout=60s")
	}
	table := kubectl("get", "ct")
	for _, want := range []string{"NAME", "CRONSPEC", "IMAGE", "REPLICAS", "READY", "AGE", "crontab-demo", "* * * * */5", "nginx:1.29", s.ready} {
		if !strings.Contains(table, want) {
			w.Errorf("no %q in:\n%s", want, table)
		}
	}
	w.eventually("Synced", dir, crdctl, "kubectl", "get", "events", "--field-selector", "reason=Synced,type=Normal,involvedObject.name=crontab-demo,source="+s.source)
	if got := kubectl("describe", "crontab", "crontab-demo"); !strings.Contains(got, "Cron Spec:") || !strings.Contains(got, "Synced") {
		w.Errorf("describe:\n%s", got)
	}
	// The API server publishes the schema of a new CRD a moment after it serves it.
	w.eventually("FIELD: replicas <integer>", dir, crdctl, "kubectl", "explain", "crontab.spec.replicas")

	kubectl("patch", "crontab", "crontab-demo", "--type=merge", "-p", `{"spec":{"replicas":5}}`)
	run.waitFor(s.updated...)

	if got := kubectl("delete", "crontab", "crontab-demo"); !strings.Contains(got, `"crontab-demo" deleted`) {
		w.Errorf("delete: %s", got)
	}
	run.waitFor(s.deleted...)
	if got := kubectl("get", "crontabs", "-o", "name"); got != "" {
		w.Errorf("after the delete, get lists %s", got)
	}

	out, stderr, err := w.try(dir, crdctl, "kubectl", "apply", "-f", "missing.yaml")
	if err == nil || !strings.Contains(stderr, `"missing.yaml" does not exist`) {
		w.Errorf("kubectl apply of a missing file: %v, %s%s", err, out, stderr)
	}
}
