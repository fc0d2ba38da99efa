package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A controller whose manifests know its webhooks as a service in a cluster serves them on this machine, unchanged: the
// API server calls all three.
func TestWebhooks(t *testing.T) {
	w := newWorld(t)
	dir := w.webhooks("webhooks")
	run := w.start(dir, crdctl, "run")
	run.waitFor("crdctl: installed boxes.boxes.example.com", "crdctl: applied validatingwebhookconfiguration.admissionregistration.k8s.io/boxes, mutatingwebhookconfiguration", "serving webhooks on 127.0.0.1:")

	create := func(name, spec string) (stderr string, err error) {
		file := filepath.Join(w.dir, name+".yaml")
		box := "apiVersion: boxes.example.com/v1\nkind: Box\nmetadata: {name: " + name + "}\n" + spec
		if err := os.WriteFile(file, []byte(box), 0o644); err != nil {
			t.Fatal(err)
		}
		_, stderr, err = w.try(dir, crdctl, "kubectl", "create", "-f", file)
		return stderr, err
	}
	if stderr, err := create("large", "spec: {size: 101}\n"); err == nil || !strings.Contains(stderr, `admission webhook "validate.boxes.example.com" denied the request: a box of size 101 does not fit`) {
		t.Errorf("create a box that the webhook refuses: %v\n%s", err, stderr)
	}
	if stderr, err := create("any", ""); err != nil {
		t.Errorf("create a box without a size: %v\n%s", err, stderr)
	}
	if got := w.run(dir, crdctl, "kubectl", "get", "boxes.v1.boxes.example.com", "any", "-o", "jsonpath={.spec.size}"); got != "7" {
		t.Errorf("size %q, want the webhook's 7", got)
	}
	if got := w.run(dir, crdctl, "kubectl", "get", "boxes.v2.boxes.example.com", "any", "-o", "jsonpath={.spec.dimensions.size}"); got != "7" {
		t.Errorf("as v2, the size is %q, want 7", got)
	}
	run.waitFor("called /mutate", "called /validate", "called /convert")

	// Another controller of the same manifests serves them on the same port.
	w.replace(filepath.Join(dir, "main.go"), "does not fit", "is too large")
	run.waitFor("crdctl: stopping the controller", "serving webhooks on 127.0.0.1:")
	if stderr, err := create("large", "spec: {size: 101}\n"); err == nil || !strings.Contains(stderr, "a box of size 101 is too large") {
		t.Errorf("create a box that the new webhook refuses: %v\n%s", err, stderr)
	}
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}
	w.leavesNothing(dir)
}

// On a control plane that outlasts its runs nobody is left behind a webhook: neither by a run that ends, nor by one that is
// killed, nor by one that never came to start its controller. The storage version of the CRD has moved meanwhile.
func TestWebhooksOfRunsThatEnded(t *testing.T) {
	w := newWorld(t)
	dir := w.webhooks("webhooks")
	// Guarding all that the next start needs.
	w.replace(filepath.Join(dir, "config/webhook/webhooks.yaml"), `{apiGroups: [boxes.example.com], apiVersions: ["*"], operations: [CREATE, UPDATE], resources: [boxes]}`,
		`{apiGroups: ["*"], apiVersions: ["*"], operations: [CREATE], resources: [boxes, namespaces, configmaps, serviceaccounts, servicecidrs]}`)
	data := filepath.Join(w.dir, "data")
	configurations := func() string {
		return w.run(dir, crdctl, "kubectl", "--kubeconfig", filepath.Join(data, "kubeconfig"), "get", "validatingwebhookconfigurations,mutatingwebhookconfigurations", "-o", "name")
	}
	run := w.start(dir, crdctl, "run", "--data-dir", data)
	run.waitFor("serving webhooks on 127.0.0.1:")
	if got := configurations(); strings.Count(got, "/boxes") != 2 {
		t.Errorf("while it runs, there are %q", got)
	}
	w.write(filepath.Join(w.dir, "box.yaml"), "apiVersion: boxes.example.com/v1\nkind: Box\nmetadata: {name: kept}\nspec: {size: 3}\n")
	w.run(dir, crdctl, "kubectl", "apply", "-f", filepath.Join(w.dir, "box.yaml"))
	crd := filepath.Join(dir, "config/crd/boxes.yaml")
	w.replace(crd, "storage: true", "storage: later")
	w.replace(crd, "storage: false", "storage: true")
	w.replace(crd, "storage: later", "storage: false")
	run.waitFor("crdctl: installed boxes.boxes.example.com")
	run.signal(os.Kill)
	<-run.done

	run = w.start(dir, crdctl, "run", "--data-dir", data, "--as-service-account", "default/nobody")
	run.waitFor("crdctl: there is no service account default/nobody")
	if code := run.wait(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	run = w.start(dir, crdctl, "run", "--data-dir", data)
	run.waitFor("serving webhooks on 127.0.0.1:")
	w.eventually("3", dir, crdctl, "kubectl", "get", "boxes.v2.boxes.example.com", "kept", "-o", "jsonpath={.spec.dimensions.size}")
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}
	other := filepath.Join(w.dir, "other.yaml")
	w.write(other, otherCRD)
	plane := w.start(w.dir, crdctl, "run", "--builtin", "-f", other, "--data-dir", data)
	plane.waitFor("Started workers")
	if got := configurations(); got != "" {
		t.Errorf("after the run, there are %q", got)
	}
	if code := plane.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}
}
