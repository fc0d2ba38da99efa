package stories

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	fooAccount = "foo-controller-system/foo-controller"
	passedOver = `"Passed over on resync" kind="%s" object="default/example-foo"`
)

// S3: the Deployment of a Foo is created, becomes available, is counted in the status, resized, brought back, made again,
// and collected; one that the Foo does not control is refused and left as it is, and an orphan is nobody's. The controller
// is its service account, leads, and needs all of its roles and no more.
func TestScaffoldedOwner(t *testing.T) {
	w := newWorld(t)
	w.setenv("KUBE_CACHE_MUTATION_DETECTOR", "true") // client-go then panics where an object of a cache is changed
	dir := w.system("S3")
	w.write(filepath.Join(dir, "foo.yaml"), foo("example-foo", "default", "example-foo", 1))
	w.write(filepath.Join(dir, "second.yaml"), foo("second", "default", "taken", 2))
	run := w.start(dir, crdctl, "run", "--as-service-account", fooAccount, "--", "--leader-elect", "--resync=1s", "--vmodule=controller=4,foo_owned=4")
	run.waitFor("crdctl: installed foos.samplecontroller.k8s.io", `"Successfully acquired lease" lock="`+fooAccount+`"`, `"Started workers" count=2`)
	w.ownsDeployment(dir, run)
	w.refusesDeployment(dir, run)
	for _, denied := range []string{"delete deployments", "get deployments", "update foos", "create foos", "get secrets", "list pods", "delete events"} {
		args := append([]string{"kubectl", "auth", "can-i", "--as=system:serviceaccount:foo-controller-system:foo-controller"}, strings.Fields(denied)...)
		if out, stderr, err := w.try(dir, crdctl, args...); exitCode(err) != 1 || strings.TrimSpace(out) != "no" {
			t.Errorf("the role lets the controller %s: %v\n%s%s", denied, err, out, stderr)
		}
	}
	w.end(run)
	run.waitFor(`"Workers stopped"`, "crdctl: "+fooAccount+" used all the permissions that its roles grant, and needed no other\n")
	for _, word := range []string{"cache was mutated", "panic", "forbidden", "refused " + fooAccount} {
		if strings.Contains(run.text(), word) {
			t.Errorf("the log has %q", word)
		}
	}
	w.ownsWithoutPermission(dir)
	w.leavesNothing(dir)
}

// ownsDeployment is the life of a Foo with a Deployment of its own.
func (w *world) ownsDeployment(dir string, run *process) {
	w.Helper()
	w.kubectl(dir, "apply", "-f", "foo.yaml")
	run.waitFor(`"Creating the Deployment" foo="default/example-foo" deployment="example-foo"`, `"Successfully synced" foo="default/example-foo"`)
	w.kubectl(dir, "wait", "--for=condition=Available", "deployment/example-foo", "--timeout=60s")
	w.kubectl(dir, "wait", "--for=condition=Ready", "foo/example-foo", "--timeout=60s")
	w.waitForReplicas(dir, 1)
	w.eventually("Foo synced successfully", dir, crdctl, "kubectl", "get", "events",
		"--field-selector", "reason=Synced,type=Normal,involvedObject.kind=Foo,involvedObject.name=example-foo,source=foo-controller")
	// The status went through its subresource: the generation is that of the spec alone.
	if got := w.kubectl(dir, "get", "foo", "example-foo", "-o", "jsonpath={.metadata.generation}"); got != "1" {
		w.Errorf("generation %s, want 1", got)
	}

	// The Foo has the last word on the Deployment, and on whether there is one.
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

	// The resync comes every second, and finds nothing to do for either kind.
	for _, kind := range []string{"*v1alpha1.Foo", "*v1.Deployment"} {
		run.waitForQuiet(fmt.Sprintf(passedOver, kind), `"Processing Foo"`)
	}

	// What a Foo owns goes with it: after it, and before it where the user wants that.
	w.kubectl(dir, "delete", "-f", "foo.yaml")
	run.waitFor(`"Foo is gone from the cache; deletion handled" foo="default/example-foo"`)
	w.kubectl(dir, "wait", "--for=delete", "deployment,replicaset,pod", "-l", "foo=example-foo", "--timeout=60s")
	w.kubectl(dir, "apply", "-f", "foo.yaml")
	w.waitForReplicas(dir, 1)
	// The finalizer holds the Foo back, so that a Deployment made in this time would be seen.
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	w.kubectl(dir, "delete", "foo", "example-foo", "--cascade=foreground", "--wait=false")
	w.kubectl(dir, "wait", "--for=delete", "deployment,replicaset,pod", "-l", "foo=example-foo", "--timeout=60s")
	run.waitFor(`"Foo is being deleted; what it owns goes first" foo="default/example-foo"`)
	run.waitForQuiet(fmt.Sprintf(passedOver, "*v1alpha1.Foo"), `"Foo is being deleted`)
	if got := w.kubectl(dir, "get", "deployments,replicasets,pods", "-o", "name"); got != "" {
		w.Errorf("while the Foo is being deleted there are %s", got)
	}
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	w.kubectl(dir, "wait", "--for=delete", "foo/example-foo", "--timeout=60s")
}

// refusesDeployment has a Foo name a Deployment that it does not control.
func (w *world) refusesDeployment(dir string, run *process) {
	w.Helper()
	w.kubectl(dir, "create", "deployment", "taken", "--image=nginx:1.29")
	run.waitFor(`"Passed over an object that no Foo controls" object="default/taken"`)
	w.kubectl(dir, "apply", "-f", "second.yaml")
	run.waitFor(`"Sync failed; trying again" err="deployment taken exists and is not controlled by this Foo`)
	w.eventually("deployment taken exists", dir, crdctl, "kubectl", "get", "events",
		"--field-selector", "reason=ErrResourceExists,type=Warning,involvedObject.name=second,source=foo-controller")
	w.kubectl(dir, "wait", "--for=condition=Ready=false", "foo/second", "--timeout=60s")
	if got := w.kubectl(dir, "get", "deployment", "taken", "-o", "jsonpath={.spec.replicas} {.metadata.ownerReferences}"); got != "1 " {
		w.Errorf("the refused deployment has replicas and owners %q, want 1 and none", got)
	}
	w.kubectl(dir, "patch", "foo", "second", "--type=merge", "-p", `{"spec":{"deploymentName":"free"}}`)
	run.waitFor(`"Creating the Deployment" foo="default/second" deployment="free"`, `"Successfully synced" foo="default/second"`)
	w.kubectl(dir, "delete", "foo", "second", "--cascade=orphan", "--timeout=60s")
	run.waitFor(`"Passed over an object that no Foo controls" object="default/free"`)
	w.kubectl(dir, "scale", "deployment", "free", "--replicas=4")
	w.kubectl(dir, "wait", "--for=jsonpath={.status.availableReplicas}=4", "deployment/free", "--timeout=60s")
	if got := w.kubectl(dir, "get", "deployment", "free", "-o", "jsonpath={.spec.replicas}"); got != "4" {
		w.Errorf("the orphan has %s replicas, want 4", got)
	}
}

// ownsWithoutPermission takes a permission out of the role: it is named at once, and at the end. Given back while the
// controller runs, it is used, and nothing is missing at the end.
func (w *world) ownsWithoutPermission(dir string) {
	w.Helper()
	const refused = "crdctl: the API server refused " + fooAccount + ": update deployments.apps in default"
	markers := filepath.Join(dir, "internal/controller/foo.go")
	w.replace(markers, "verbs=list;watch;create;update", "verbs=list;watch;create")
	for _, givenBack := range []bool{false, true} {
		run := w.start(dir, crdctl, "run", "--as-service-account", fooAccount)
		run.waitFor(`"Started workers" count=2`)
		w.kubectl(dir, "apply", "-f", "foo.yaml")
		w.waitForReplicas(dir, 1)
		w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"spec":{"replicas":2}}`)
		run.waitFor(refused)
		if !givenBack {
			w.end(run)
			run.waitFor("crdctl: "+fooAccount+" was refused what its roles do not grant:\ncrdctl:   update deployments.apps in default\n",
				"crdctl: grant it, if the controller needs it, with\n", "crdctl:   // +kubebuilder:rbac:groups=apps,resources=deployments,verbs=update\n")
			continue
		}
		w.replace(markers, "verbs=list;watch;create", "verbs=list;watch;create;update")
		w.run(dir, crdctl, "generate")
		run.waitFor("crdctl: applied clusterrole.rbac.authorization.k8s.io/foo-controller")
		w.waitForReplicas(dir, 2)
		w.end(run)
		if strings.Contains(run.text(), "was refused what its roles do not grant") {
			w.Error("what the role grants by now is reported as missing")
		}
	}
}

// waitForReplicas waits until the status of the Foo says how many pods of its Deployment are available.
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
