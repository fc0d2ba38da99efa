package stories

import (
	"path/filepath"
	"testing"
)

// Both controllers start before the CRD exists, on a control plane that another process runs, and recover by
// themselves when it is installed.
func TestCRDInstalledLate(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	plane, other := w.plane()
	kubeconfig := filepath.Join(other, ".crdctl", "kubeconfig")

	project := w.start(dir, crdctl, "run", "--kubeconfig", kubeconfig, "--skip-crds")
	builtin := w.start(dir, crdctl, "run", "--kubeconfig", kubeconfig, "--skip-crds", "--builtin")
	project.waitFor("crdctl: using the API at https://127.0.0.1:", "context crdctl of "+kubeconfig, `"Waiting for informer caches to sync"`)
	builtin.waitFor("crdctl: using the API at https://127.0.0.1:", "customresourcedefinition crontabs.stable.example.com is not installed yet; waiting for it")

	w.kubectl(other, "apply", "-f", filepath.Join(dir, "config/crd"))
	w.kubectl(other, "wait", "--for=condition=Established", "crd/crontabs.stable.example.com", "--timeout=60s")
	builtin.waitFor("customresourcedefinition crontabs.stable.example.com is installed", "Started workers")
	w.kubectl(other, "apply", "-f", filepath.Join(dir, "config/samples"))
	builtin.waitFor("Object added", `Successfully synced "default/crontab-demo"`)
	project.waitFor(`"Started workers"`, `"Successfully synced" crontab="default/crontab-demo"`)

	w.end(project, builtin, plane)
	w.leavesNothing(other)
}

// otherCRD is a CRD of another kind, so that a control plane can be run with it.
const otherCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: others.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Other, plural: others}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`
