package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ownedFoo makes S3's project by the commands of the documentation: a Foo that keeps a Deployment.
func (w *world) ownedFoo() string {
	w.Helper()
	dir := w.system("S3")
	w.write(filepath.Join(dir, "foo.yaml"), `apiVersion: samplecontroller.k8s.io/v1alpha1
kind: Foo
metadata: {name: example-foo, namespace: default}
spec: {deploymentName: example-foo, replicas: 1}
`)
	return dir
}

// S3, scaffolded: the Deployment of a Foo is created, becomes available, is counted in the status, resized, brought back,
// made again, and collected. The controller is its service account, leads, and needs all of its roles and no more.
func TestScaffoldedOwner(t *testing.T) {
	// client-go then looks whether somebody changes an object that lies in a cache, and panics.
	w := newWorld(t)
	w.setenv("KUBE_CACHE_MUTATION_DETECTOR", "true")
	dir := w.ownedFoo()
	run := w.start(dir, crdctl, "run", "--as-service-account", "foo-controller-system/foo-controller", "--", "--leader-elect", "--resync=1s", "--vmodule=controller=4")
	run.waitFor("crdctl: installed foos.samplecontroller.k8s.io", `"Successfully acquired lease" lock="foo-controller-system/foo-controller"`, `"Started workers" count=2`)

	w.kubectl(dir, "apply", "-f", "foo.yaml")
	run.waitFor(`"Creating the Deployment" foo="default/example-foo" deployment="example-foo"`, `"Successfully synced" foo="default/example-foo"`)
	w.kubectl(dir, "wait", "--for=condition=Available", "deployment/example-foo", "--timeout=60s")
	w.kubectl(dir, "wait", "--for=condition=Ready", "foo/example-foo", "--timeout=60s")
	w.waitForReplicas(dir, 1)
	w.eventually("Foo synced successfully", dir, crdctl, "kubectl", "get", "events",
		"--field-selector", "reason=Synced,type=Normal,involvedObject.kind=Foo,involvedObject.name=example-foo,source=foo-controller")

	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"spec":{"replicas":3}}`)
	run.waitFor(`"Resizing the Deployment" foo="default/example-foo" deployment="example-foo" replicas=3`)
	w.waitForReplicas(dir, 3)
	w.kubectl(dir, "scale", "deployment", "example-foo", "--replicas=5")
	run.waitFor(`"Resizing the Deployment" foo="default/example-foo" deployment="example-foo" replicas=3`)
	w.kubectl(dir, "set", "image", "deployment/example-foo", "main=other:1")
	run.waitFor(`"Changing the Deployment" foo="default/example-foo" deployment="example-foo"`)
	w.kubectl(dir, "delete", "deployment", "example-foo")
	run.waitFor(`"Creating the Deployment" foo="default/example-foo"`)
	w.waitForReplicas(dir, 3)
	run.waitForQuiet(`"Passed over on resync" kind="*v1alpha1.Foo" object="default/example-foo"`, `"Processing Foo"`)
	run.waitForQuiet(`"Passed over on resync" kind="*v1.Deployment" object="default/example-foo"`, `"Processing Foo"`)

	w.kubectl(dir, "delete", "-f", "foo.yaml")
	run.waitFor(`"Foo is gone from the cache; deletion handled" foo="default/example-foo"`)
	w.kubectl(dir, "wait", "--for=delete", "deployment,replicaset,pod", "-l", "foo=example-foo", "--timeout=60s")

	w.end(run)
	run.waitFor(`"Workers stopped"`, "crdctl: foo-controller-system/foo-controller used all the permissions that its roles grant, and needed no other")
	if strings.Contains(run.text(), "cache was mutated") || strings.Contains(run.text(), "panic") {
		t.Error("an object of a cache was changed")
	}
	w.leavesNothing(dir)
}

// S3, scaffolded: a Deployment that the Foo does not control is refused and left as it is, and an orphan is nobody's.
func TestScaffoldedOwnerRefusesWhatItDoesNotControl(t *testing.T) {
	w := newWorld(t)
	dir := w.ownedFoo()
	run := w.start(dir, crdctl, "run", "--", "--vmodule=foo_owned=4")
	run.waitFor(`"Started workers" count=2`)
	w.kubectl(dir, "create", "deployment", "taken", "--image=nginx:1.29")
	run.waitFor(`"Passed over an object that no Foo controls" object="default/taken"`)

	w.check(os.WriteFile(filepath.Join(dir, "second.yaml"), []byte(secondFoo), 0o644))
	w.kubectl(dir, "apply", "-f", "second.yaml")
	run.waitFor(`"Sync failed; trying again" err="deployment taken exists and is not controlled by this Foo`)
	w.eventually("deployment taken exists", dir, crdctl, "kubectl", "get", "events",
		"--field-selector", "reason=ErrResourceExists,type=Warning,involvedObject.name=second,source=foo-controller")
	w.kubectl(dir, "wait", "--for=condition=Ready=false", "foo/second", "--timeout=60s")
	if got := w.kubectl(dir, "get", "deployment", "taken", "-o", "jsonpath={.spec.replicas} {.metadata.ownerReferences}"); got != "1 " {
		t.Errorf("the refused deployment has replicas and owners %q, want 1 and none", got)
	}
	w.kubectl(dir, "patch", "foo", "second", "--type=merge", "-p", `{"spec":{"deploymentName":"free"}}`)
	run.waitFor(`"Creating the Deployment" foo="default/second" deployment="free"`, `"Successfully synced" foo="default/second"`)
	w.kubectl(dir, "delete", "foo", "second", "--cascade=orphan", "--timeout=60s")
	run.waitFor(`"Passed over an object that no Foo controls" object="default/free"`)
	w.kubectl(dir, "scale", "deployment", "free", "--replicas=4")
	w.kubectl(dir, "wait", "--for=jsonpath={.status.availableReplicas}=4", "deployment/free", "--timeout=60s")
	w.end(run)
	w.leavesNothing(dir)
}
