package stories

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// sampleController is the version of Kubernetes' own example of a controller that the test takes.
const sampleController = "k8s.io/sample-controller@v0.37.1"

// Kubernetes' own sample-controller, as it was released: nothing of it is changed, and it finds in the control plane all
// that it finds in a cluster.
func TestSampleController(t *testing.T) {
	w := newWorld(t)
	var module struct{ Dir string }
	w.check(json.Unmarshal([]byte(w.run(w.dir, "go", "mod", "download", "-json", sampleController)), &module))
	dir := filepath.Join(w.dir, "sample-controller")
	w.check(os.CopyFS(dir, os.DirFS(module.Dir)))
	released := w.contents(dir)
	w.run(dir, crdctl, "verify") // its checked-in clients are those that crdctl would make

	controller := w.start(dir, crdctl, "run", "-f", "artifacts/examples/crd-status-subresource.yaml", "--", "--kubeconfig=$(KUBECONFIG)")
	controller.waitFor("crdctl: no crdctl.yaml: apis pkg/apis", "crdctl: installed foos.samplecontroller.k8s.io", "crdctl: built in ", `"Started workers"`)

	w.kubectl(dir, "apply", "-f", "artifacts/examples/example-foo.yaml")
	controller.waitFor(`"Successfully synced" objectName="default/example-foo"`)
	w.kubectl(dir, "wait", "--for=condition=Available", "deployment/example-foo", "--timeout=60s")
	w.waitForReplicas(dir, 1)
	w.eventually("Foo synced successfully", dir, crdctl, "kubectl", "get", "events",
		"--field-selector", "reason=Synced,type=Normal,involvedObject.name=example-foo,source=sample-controller")
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"spec":{"replicas":3}}`)
	w.waitForReplicas(dir, 3)

	// Its owner gone, the Deployment is collected, and so are its ReplicaSet and its pods.
	w.kubectl(dir, "delete", "foo", "example-foo")
	for _, kind := range []string{"deployments", "replicasets", "pods"} {
		w.kubectl(dir, "wait", "--for=delete", kind, "--all", "--timeout=60s")
	}

	w.end(controller)
	w.leavesNothing(dir)
	if !maps.Equal(w.contents(dir), released) {
		t.Error("the released files of sample-controller were changed")
	}
}
