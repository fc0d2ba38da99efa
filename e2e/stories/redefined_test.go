package stories

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// noteCRD takes a version and its subresources.
const noteCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: notes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Note, plural: notes}
  versions:
    - {name: %s, served: true, storage: true, subresources: %s, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// A CRD that comes back with another version and the status subresource is followed as what it is now, and so is one whose
// subresource is taken away while it is served.
func TestCRDRedefined(t *testing.T) {
	w := newWorld(t)
	at, kubeconfig := w.plane()
	dir := t.TempDir()
	crd, templates := filepath.Join(dir, "crd.yaml"), filepath.Join(dir, "templates")
	define := func(version, subresources string) {
		w.Helper()
		w.write(crd, fmt.Sprintf(noteCRD, version, subresources))
		w.kubectl(at, "apply", "-f", crd)
		w.kubectl(at, "wait", "--for=condition=Established", "crd/notes.example.com", "--timeout=60s")
	}
	note := func(version, name string) {
		w.Helper()
		file := filepath.Join(dir, name+".yaml")
		w.write(file, fmt.Sprintf("apiVersion: example.com/%s\nkind: Note\nmetadata: {name: %s, namespace: default}\n", version, name))
		w.until(name+" can be made", func() bool { // the API server answers 404 for a moment after a CRD was established
			_, _, err := w.try(at, crdctl, "kubectl", "apply", "-f", file)
			return err == nil
		})
		w.kubectl(at, "wait", "--for=jsonpath={.status.phase}=known", "note/"+name, "--timeout=60s")
	}
	define("v1", "{}")
	w.check(os.Mkdir(templates, 0o755))
	w.write(filepath.Join(templates, "map.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .parent.metadata.name }}}\n")
	w.write(filepath.Join(templates, "status.yaml"), "phase: known\n")
	run := w.start(dir, crdctl, "run", "--builtin", "--kubeconfig", kubeconfig, "--crd", "notes.example.com",
		"--name", "notes", "--owns", "v1/ConfigMap", "--template", "templates")
	run.waitFor("Started workers")
	note("v1", "first")

	w.kubectl(at, "delete", "crd/notes.example.com", "--timeout=60s")
	run.waitFor("customresourcedefinition notes.example.com is gone; waiting for it")
	define("v2", "{status: {}}")
	run.waitFor("CustomResourceDefinition notes.example.com changed: now Note v2, namespaced, status subresource; beginning again", "Started workers")
	note("v2", "second")

	define("v2", "{}")
	run.waitFor("CustomResourceDefinition notes.example.com changed: now Note v2, namespaced, no status subresource; beginning again", "Started workers")
	note("v2", "third")
	w.end(run)
	w.leavesNothing(dir)
}
