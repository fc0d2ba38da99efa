package e2e

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
	dir := filepath.Join(w.dir, "webhooks")
	if err := os.CopyFS(dir, os.DirFS("testdata/webhooks")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/webhooks\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
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
