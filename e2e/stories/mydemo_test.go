package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// S2: a group of Kubernetes' own, whose CRD the API server takes only with an annotation; create, update, delete.
func TestMydemo(t *testing.T) {
	w := newWorld(t)
	dir := w.handwritten("mydemo")
	run := w.start(dir, crdctl, "run")
	run.waitFor("crdctl: installed mydemos.crddemo.k8s.io", `"Started workers" count=2`)

	w.kubectl(dir, "apply", "-f", "config/samples")
	run.waitFor(`"Processing Mydemo" mydemo="default/example-mydemo"`, "port=8080", `"Successfully synced" mydemo="default/example-mydemo"`)
	w.eventually("Synced", dir, crdctl, "kubectl", "get", "events",
		"--field-selector", "reason=Synced,type=Normal,involvedObject.kind=Mydemo,involvedObject.name=example-mydemo,source=mydemo-controller")
	if table := w.kubectl(dir, "get", "mydemos"); !strings.Contains(table, "127.0.0.1   8080") {
		t.Errorf("get:\n%s", table)
	}

	before := w.kubectl(dir, "get", "mydemo", "example-mydemo", "-o", "jsonpath={.metadata.resourceVersion}")
	w.replace(filepath.Join(dir, "config/samples/mydemo.yaml"), "8080", "9080")
	w.kubectl(dir, "apply", "-f", "config/samples")
	after := w.kubectl(dir, "get", "mydemo", "example-mydemo", "-o", "jsonpath={.metadata.resourceVersion}")
	if before == after {
		t.Errorf("resourceVersion %s before and after the update", after)
	}
	run.waitFor(`"Processing Mydemo" mydemo="default/example-mydemo" resourceVersion="`+after+`"`, "port=9080", `"Successfully synced"`)

	w.kubectl(dir, "delete", "-f", "config/samples")
	run.waitFor(`"Mydemo is gone; deletion handled" mydemo="default/example-mydemo"`)
	if got := w.kubectl(dir, "get", "mydemos", "-o", "name"); got != "" {
		t.Errorf("after the delete, get lists %s", got)
	}

	// Without the annotation the API server refuses the CRD; crdctl passes on its reason, and the controller stays.
	w.replace(filepath.Join(dir, "config/crd/crddemo.k8s.io_mydemos.yaml"), "api-approved.kubernetes.io", "approved.example.com")
	run.waitFor("api-approved.kubernetes.io", "goes on running; waiting for a change")

	w.end(run)
	run.waitFor("crdctl: stopping the controller", `"Workers stopped"`, "crdctl: stopping the control plane")
	w.leavesNothing(dir)
}

// S2's controller, built by its Makefile and told of the API server by --master and --kubeconfig, starts before its CRD
// exists, and recovers by itself when that appears. So does the one that crdctl runs.
func TestMydemoBeforeItsCRD(t *testing.T) {
	w := newWorld(t)
	dir := w.handwritten("mydemo")
	w.run(dir, "make", "fmt", "test", "build")
	plane, at := w.plane()
	kubeconfig := filepath.Join(at, ".crdctl", "kubeconfig")

	// --master has the last word on the address: the kubeconfig that goes with it names none that answers.
	config, err := clientcmd.LoadFromFile(kubeconfig)
	w.check(err)
	var master string
	for _, cluster := range config.Clusters {
		master, cluster.Server = cluster.Server, "https://127.0.0.1:1"
	}
	elsewhere := filepath.Join(at, "elsewhere")
	w.check(clientcmd.WriteToFile(*config, elsewhere))

	own := w.start(dir, filepath.Join(dir, "releases/mydemo"), "--master", master, "--kubeconfig", elsewhere)
	run := w.start(dir, crdctl, "run", "--kubeconfig", kubeconfig, "--skip-crds")
	for _, p := range []*process{own, run} {
		p.waitFor(`"Waiting for the cache to sync"`, "could not find the requested resource")
	}
	w.kubectl(at, "apply", "-f", filepath.Join(dir, "config/crd"))
	w.kubectl(at, "wait", "--for=condition=Established", "crd/mydemos.crddemo.k8s.io", "--timeout=60s")
	w.kubectl(at, "apply", "-f", filepath.Join(dir, "config/samples"))
	for _, p := range []*process{own, run} {
		p.waitFor(`"Started workers"`, `"Processing Mydemo" mydemo="default/example-mydemo"`, `"Successfully synced"`)
	}

	w.end(own, run, plane)
	w.leavesNothing(at)
	if _, err := os.Stat(filepath.Join(dir, ".crdctl")); !os.IsNotExist(err) {
		t.Errorf("a run against another's control plane leaves %s/.crdctl (%v)", dir, err)
	}
}
