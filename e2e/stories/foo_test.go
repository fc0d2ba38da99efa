package stories

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// S3: a controller of two kinds. Its Deployment is created, becomes available, is counted in the status, resized, made
// again, and collected.
func TestFoo(t *testing.T) {
	// client-go then looks whether somebody changes an object that lies in a cache, and panics.
	w := newWorld(t)
	w.setenv("KUBE_CACHE_MUTATION_DETECTOR", "true")
	dir := w.handwritten("foo")
	w.run(dir, "go", "test", "-vet=off", ".")
	run := w.start(dir, crdctl, "run", "--", "--resync=1s", "--vmodule=handlers=4")
	run.waitFor("crdctl: installed foos.samplecontroller.k8s.io", `"Started workers" count=2`)

	w.kubectl(dir, "apply", "-f", "config/samples")
	run.waitFor(`"Creating the Deployment" foo="default/example-foo" deployment="example-foo"`, `"Successfully synced" foo="default/example-foo"`)
	w.kubectl(dir, "wait", "--for=condition=Available", "deployment/example-foo", "--timeout=60s")
	w.waitForReplicas(dir, 1)
	w.eventually("Foo synced successfully", dir, crdctl, "kubectl", "get", "events",
		"--field-selector", "reason=Synced,type=Normal,involvedObject.kind=Foo,involvedObject.name=example-foo,source=foo-controller")
	// The status went through its subresource: the API server notes that, and the generation is that of the spec alone.
	got := w.kubectl(dir, "get", "foo", "example-foo", "--show-managed-fields",
		"-o", `jsonpath={.metadata.generation} {.metadata.managedFields[?(@.subresource=="status")].fieldsV1}`)
	if want := `1 {"f:status":{".":{},"f:availableReplicas":{}}}`; got != want {
		t.Errorf("generation and fields written through the status subresource: %s, want %s", got, want)
	}

	// The Foo has the last word on the number of pods, and on whether there is a Deployment.
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"spec":{"replicas":3}}`)
	run.waitFor(`"Resizing the Deployment" foo="default/example-foo" deployment="example-foo" replicas=3`)
	w.waitForReplicas(dir, 3)
	w.kubectl(dir, "scale", "deployment", "example-foo", "--replicas=5")
	run.waitFor(`"Resizing the Deployment" foo="default/example-foo" deployment="example-foo" replicas=3`)
	w.kubectl(dir, "delete", "deployment", "example-foo")
	run.waitFor(`"Creating the Deployment" foo="default/example-foo"`)
	w.waitForReplicas(dir, 3)

	// The resync comes every second, and finds nothing to do for either kind.
	run.waitForQuiet(`"Passed over on resync" kind="*v1alpha1.Foo" object="default/example-foo"`, `"Processing Foo"`)
	run.waitForQuiet(`"Passed over on resync" kind="*v1.Deployment" object="default/example-foo"`, `"Processing Foo"`)

	// What a Foo owns goes with it: after it, and before it where the user wants that.
	w.kubectl(dir, "delete", "-f", "config/samples")
	run.waitFor(`"Foo is gone; its Deployment is left to the garbage collector" foo="default/example-foo"`)
	w.kubectl(dir, "wait", "--for=delete", "deployment,replicaset,pod", "-l", "foo=example-foo", "--timeout=60s")
	w.kubectl(dir, "apply", "-f", "config/samples")
	w.waitForReplicas(dir, 1)
	// The finalizer holds the Foo back, so that a Deployment made in this time would be seen.
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	w.kubectl(dir, "delete", "foo", "example-foo", "--cascade=foreground", "--wait=false")
	w.kubectl(dir, "wait", "--for=delete", "deployment,replicaset,pod", "-l", "foo=example-foo", "--timeout=60s")
	run.waitFor(`"Foo is being deleted; its Deployment goes first" foo="default/example-foo"`)
	run.waitForQuiet(`"Passed over on resync" kind="*v1alpha1.Foo" object="default/example-foo"`, `"Foo is being deleted`)
	if got := w.kubectl(dir, "get", "deployments,replicasets,pods", "-o", "name"); got != "" {
		t.Errorf("while the Foo is being deleted there are %s", got)
	}
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	w.kubectl(dir, "wait", "--for=delete", "foo/example-foo", "--timeout=60s")

	w.end(run)
	run.waitFor("crdctl: stopping the controller", `"Workers stopped"`, "crdctl: stopping the control plane")
	if strings.Contains(run.text(), "cache was mutated") || strings.Contains(run.text(), "panic") {
		t.Error("an object of a cache was changed")
	}
	w.leavesNothing(dir)
}

// S3: a Deployment that the Foo does not control is refused and left as it is, and an orphan is nobody's.
func TestFooRefusesWhatItDoesNotControl(t *testing.T) {
	w := newWorld(t)
	dir := w.handwritten("foo")
	run := w.start(dir, crdctl, "run", "--", "--vmodule=handlers=4")
	run.waitFor(`"Started workers" count=2`)
	w.kubectl(dir, "create", "deployment", "taken", "--image=nginx:1.29")
	run.waitFor(`"Passed over an object that no Foo controls" object="default/taken"`)

	w.check(os.WriteFile(filepath.Join(dir, "second.yaml"), []byte(secondFoo), 0o644))
	w.kubectl(dir, "apply", "-f", "second.yaml")
	run.waitFor(`"Sync failed; trying again" err="foo second: deployment taken exists and is not controlled by this Foo`)
	w.eventually("deployment taken exists", dir, crdctl, "kubectl", "get", "events",
		"--field-selector", "reason=ErrResourceExists,type=Warning,involvedObject.name=second,source=foo-controller")
	if got := w.kubectl(dir, "get", "deployment", "taken", "-o", "jsonpath={.spec.replicas} {.metadata.ownerReferences}"); got != "1 " {
		t.Errorf("the refused deployment has replicas and owners %q, want 1 and none", got)
	}

	w.kubectl(dir, "patch", "foo", "second", "--type=merge", "-p", `{"spec":{"deploymentName":"free"}}`)
	run.waitFor(`"Creating the Deployment" foo="default/second" deployment="free"`, `"Successfully synced" foo="default/second"`)

	w.kubectl(dir, "delete", "foo", "second", "--cascade=orphan", "--timeout=60s")
	run.waitFor(`"Passed over an object that no Foo controls" object="default/free"`)
	w.kubectl(dir, "scale", "deployment", "free", "--replicas=4")
	w.kubectl(dir, "wait", "--for=jsonpath={.status.availableReplicas}=4", "deployment/free", "--timeout=60s")
	if got := w.kubectl(dir, "get", "deployment", "free", "-o", "jsonpath={.spec.replicas}"); got != "4" {
		t.Errorf("the orphan has %s replicas, want 4", got)
	}
	w.end(run)
	w.leavesNothing(dir)
}

const secondFoo = `apiVersion: samplecontroller.k8s.io/v1alpha1
kind: Foo
metadata: {name: second, namespace: default}
spec: {deploymentName: taken, replicas: 2}
`

// waitForReplicas waits until the status of the sample says how many pods of its Deployment are available.
func (w *world) waitForReplicas(dir string, n int) {
	w.Helper()
	w.kubectl(dir, "wait", fmt.Sprintf("--for=jsonpath={.status.availableReplicas}=%d", n), "foo/example-foo", "--timeout=60s")
}

// waitForQuiet waits until something has been printed three times since some work was last begun.
func (p *process) waitForQuiet(idle, work string) {
	p.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		text := p.text()
		if strings.Count(text[max(0, strings.LastIndex(text, work)):], idle) >= 3 {
			return
		}
		if time.Now().After(deadline) {
			p.Fatalf("%q was not printed three times without %q between", idle, work)
		}
	}
}
