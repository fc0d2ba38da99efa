package stories

import (
	"path/filepath"
	"strings"
	"testing"
)

// "run --render" on a cluster that has the object: what would change, what would go, and that nothing does. What it shows of a new object,
// and its refusals, are in cmd/testdata/script/run_render.txtar.
func TestBuiltinRender(t *testing.T) {
	w := newWorld(t)
	at, kubeconfig := w.plane()
	w.establish(at, w.testdata("gadgets.yaml"), "gadgets.hooks.example.com")
	h := &hooked{world: w, at: at, dir: w.TempDir(), name: "render"}
	w.kubectl(at, "create", "namespace", h.name)
	h.sync(`
request = json.load(sys.stdin)
names = request["parent"]["spec"]["message"].split()
print("asked", file=sys.stderr)
json.dump({"status": {"names": names}, "resyncAfterSeconds": 60, "events": [{"reason": "Named", "message": "there are %d" % len(names)}],
           "children": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"of": str(len(names))}} for name in names]}, sys.stdout)
`)
	h.start("--hook", "./sync.py", "--owns", "v1/ConfigMap")
	h.apply(gadget("demo", "one two"))
	h.shows("gadget/demo", ".status.names[1]", "two")
	h.end(h.run)
	resources := func() string {
		return h.kubectl("get", "gadgets,configmaps", "-o", `jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.resourceVersion}{"\n"}{end}`)
	}
	before := resources()

	const told = "event: Normal Named: there are %\nreconciled again after 1m0s\n"
	for message, want := range map[string]string{
		"one two": strings.Replace(told, "%", "2", 1) + "nothing would change\n",
		"one": `--- ConfigMap render/two (now)
+++ /dev/null
@@ -1,13 +0,0 @@
-apiVersion: v1
-data:
-  of: "2"
-kind: ConfigMap
-metadata:
-  name: two
-  namespace: render
-  ownerReferences:
-  - apiVersion: hooks.example.com/v1
-    blockOwnerDeletion: true
-    controller: true
-    kind: Gadget
-    name: demo
--- ConfigMap render/one (now)
+++ ConfigMap render/one (then)
@@ -1,6 +1,6 @@
 apiVersion: v1
 data:
-  of: "2"
+  of: "1"
 kind: ConfigMap
 metadata:
   name: one
--- status of Gadget render/demo (now)
+++ status of Gadget render/demo (then)
@@ -1,3 +1,2 @@
 names:
 - one
-- two
` + strings.Replace(told, "%", "1", 1),
	} {
		file := filepath.Join(h.dir, "object.yaml")
		h.write(file, strings.Replace(gadget("demo", message), "{name: demo", "{namespace: render, name: demo", 1))
		got, stderr, err := h.try(h.dir, crdctl, "run", "--builtin", "--kubeconfig", kubeconfig,
			"--crd", "gadgets.hooks.example.com", "--name", h.name, "--hook", "./sync.py", "--owns", "v1/ConfigMap", "--render", file)
		if err != nil || got != want {
			t.Errorf("%s: %v\n%swant\n%s%s", message, err, got, want, stderr)
		}
		if !strings.Contains(stderr, "Hook stderr") || strings.Contains(got, "Hook stderr") {
			t.Errorf("what the hook printed to stderr is not there and there only:\n%s", stderr)
		}
	}
	if after := resources(); after != before {
		t.Errorf("before:\n%safter:\n%s", before, after)
	}
	w.leavesNothing(h.dir)
}
