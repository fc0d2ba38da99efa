package stories

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// hooked is one controller with a hook or with templates, in a folder and a namespace of its own, which have its name.
type hooked struct {
	*world
	at, dir, name string
	run           *process
}

// What hooks and templates can do, each as a user would write it, on one control plane. The parents are Gadgets.
func TestBuiltinHooks(t *testing.T) {
	w := newWorld(t)
	at, _ := w.plane()
	w.establish(at, w.testdata("gadgets.yaml"), "gadgets.hooks.example.com", "clustergadgets.hooks.example.com")
	stories := map[string]func(*hooked){
		"related": (*hooked).related, "finalized": (*hooked).finalized, "again": (*hooked).again, "cluster": (*hooked).cluster,
		"program": (*hooked).programChanged, "templates": (*hooked).templateChanged, "undeclared": (*hooked).undeclared,
		"evil": (*hooked).evilObjects, "kinds": (*hooked).kinds, "persistent": (*hooked).persistent, "http": (*hooked).http,
	}
	t.Run("each", func(t *testing.T) {
		for _, name := range slices.Sorted(maps.Keys(stories)) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := &hooked{world: w.on(t), at: at, dir: filepath.Join(w.dir, name), name: name}
				h.check(os.Mkdir(h.dir, 0o755))
				h.world.kubectl(at, "create", "namespace", name)
				stories[name](h)
				h.end(h.run)
			})
		}
	})
	w.leavesNothing(w.dir)
}

// start runs the controller on Gadgets of its namespace.
func (h *hooked) start(flags ...string) {
	h.Helper()
	h.run = h.world.start(h.dir, crdctl, append([]string{"run", "--builtin", "--kubeconfig", filepath.Join(h.at, ".crdctl/kubeconfig"),
		"--crd", "gadgets.hooks.example.com", "--namespace", h.name, "--name", h.name, "--hook-timeout", patience.String()}, flags...)...)
	h.run.waitFor("Started workers")
}

func (h *hooked) kubectl(args ...string) string {
	h.Helper()
	return h.world.kubectl(h.at, append([]string{"-n", h.name}, args...)...)
}

// apply applies objects.
func (h *hooked) apply(manifest string) {
	h.Helper()
	file := filepath.Join(h.dir, "applied")
	h.write(file, manifest)
	h.kubectl("apply", "-f", file)
}

// shows waits until a part of an object has a value.
func (h *hooked) shows(object, path, value string) {
	h.Helper()
	h.kubectl("wait", "--for=jsonpath={"+path+"}="+value, object, "--timeout=60s")
}

// appears waits until there is an object.
func (h *hooked) appears(objects ...string) {
	h.Helper()
	h.kubectl(append([]string{"wait", "--for=create", "--timeout=60s"}, objects...)...)
}

// vanishes waits until there is an object no more.
func (h *hooked) vanishes(objects ...string) {
	h.Helper()
	h.kubectl(append([]string{"wait", "--for=delete", "--timeout=60s"}, objects...)...)
}

func (h *hooked) sync(text string) {
	h.Helper()
	h.program(filepath.Join(h.dir, "sync.py"), "#!/usr/bin/env python3\nimport json, os, sys\n"+text)
}

func gadget(name, message string) string {
	return "apiVersion: hooks.example.com/v1\nkind: Gadget\nmetadata: {name: " + name + "}\nspec: {message: " + message + "}\n"
}

// A change of a related object is a reason to sync, and one of another object is not shown.
func (h *hooked) related() {
	h.sync(`
request = json.load(sys.stdin)
if os.environ["CRDCTL_HOOK"] == "customize":
    answer = {"relatedResources": [{"apiVersion": "v1", "resource": "configmaps", "labelSelector": {"matchLabels": {"for": request["parent"]["spec"]["message"]}}}]}
else:
    data = {}
    for name, found in sorted(request["related"]["ConfigMap.v1"].items()):
        data[name] = found["data"]["colour"]
    answer = {"status": {"colours": " ".join(data.values())},
              "children": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "copy"}, "data": data}]}
json.dump(answer, sys.stdout)
`)
	h.start("--hook", "./sync.py", "--customize-hook", "./sync.py", "--owns", "v1/ConfigMap")
	source := func(name, label, colour string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + ", labels: {for: " + label + "}}\ndata: {colour: " + colour + "}\n"
	}
	h.apply(gadget("demo", "all") + "---\n" + source("other", "none", "grey") + "---\n" + source("first", "all", "red"))
	h.shows("gadget/demo", ".status.colours", "red")
	h.kubectl("patch", "configmap", "first", "--type=merge", "-p", `{"data":{"colour":"blue"}}`)
	h.shows("configmap/copy", ".data.first", "blue")
	h.apply(source("second", "all", "green"))
	h.shows("gadget/demo", ".status.colours", "blue green")
	h.kubectl("delete", "configmap", "first")
	h.shows("gadget/demo", ".status.colours", "green")
	if got := h.kubectl("get", "configmap", "copy", "-o", "jsonpath={.data}"); got != `{"second":"green"}` {
		h.Errorf("the copy has %s", got)
	}
}

// The finalize hook is asked until it lets the object go, and it comes after the children; a finalizer holds the object till then.
func (h *hooked) finalized() {
	h.sync(`
request = json.load(sys.stdin)
if os.environ["CRDCTL_HOOK"] == "finalize":
    left = len(request["children"]["ConfigMap.v1"])
    held = os.path.exists("hold")
    print("finalizing", request["finalizing"], "with", left, "held", held, file=sys.stderr)
    answer = {"children": [], "finalized": left == 0 and not held, "resyncAfterSeconds": 0.3}
else:
    answer = {"children": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "child"}}]}
json.dump(answer, sys.stdout)
`)
	hold := filepath.Join(h.dir, "hold")
	h.write(hold, "")
	h.start("--hook", "./sync.py", "--finalize-hook", "./sync.py", "--owns", "v1/ConfigMap")
	h.apply(gadget("demo", "x"))
	h.appears("configmap/child")
	h.shows("gadget/demo", ".metadata.finalizers[0]", "crdctl.dev/finalized")
	h.kubectl("delete", "gadget", "demo", "--wait=false")
	h.run.waitFor("key=finalized/demo", "finalizing True with 1 held True", "Child deleted", "finalizing True with 0 held True", "finalizing True with 0 held True")
	h.kubectl("get", "gadget", "demo")
	h.check(os.Remove(hold))
	h.vanishes("gadget/demo")
}

// An object is synced again after the time that its answer says, though nothing changed, and the answer's events are recorded.
func (h *hooked) again() {
	h.sync(`
json.load(sys.stdin)
with open("calls", "a") as calls:
    seen = calls.tell() + 1
    calls.write(".")
answer = {"children": [], "events": [{"type": "Warning", "reason": "Counted", "message": "seen %d times" % seen}]}
if seen < 3:
    answer["resyncAfterSeconds"] = 0.2
json.dump(answer, sys.stdout)
`)
	h.start("--hook", "./sync.py")
	h.apply(gadget("demo", "x"))
	h.run.waitFor(`Successfully synced "again/demo"`, `Successfully synced "again/demo"`, `Successfully synced "again/demo"`)
	h.eventually("seen 3 times", h.at, crdctl, "kubectl", "get", "events", "-n", h.name, "--field-selector", "reason=Counted,type=Warning,source=again,involvedObject.name=demo")
}

// A parent in no namespace has children in several, and is shown them with their namespaces.
func (h *hooked) cluster() {
	h.sync(`
request = json.load(sys.stdin)
children = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "of-" + request["parent"]["metadata"]["name"], "namespace": where}}
            for where in request["parent"]["spec"]["message"].split()]
json.dump({"status": {"children": " ".join(sorted(request["children"]["ConfigMap.v1"]))}, "children": children}, sys.stdout)
`)
	h.run = h.world.start(h.dir, crdctl, "run", "--builtin", "--kubeconfig", filepath.Join(h.at, ".crdctl/kubeconfig"), "--name", h.name,
		"--crd", "clustergadgets.hooks.example.com", "--hook-timeout", patience.String(), "--hook", "./sync.py", "--owns", "v1/ConfigMap")
	h.run.waitFor("Started workers")
	h.apply("apiVersion: hooks.example.com/v1\nkind: ClusterGadget\nmetadata: {name: demo}\nspec: {message: default cluster}\n")
	h.shows("clustergadget/demo", ".status.children", "cluster/of-demo default/of-demo")
	h.kubectl("delete", "configmap", "of-demo")
	h.run.waitFor(`Child created`, `child="ConfigMap cluster/of-demo"`, `Child created`, `child="ConfigMap cluster/of-demo"`)
	h.kubectl("patch", "clustergadget", "demo", "--type=merge", "-p", `{"spec":{"message":"default"}}`)
	h.vanishes("configmap/of-demo")
	h.shows("clustergadget/demo", ".status.children", "default/of-demo")
	h.kubectl("delete", "clustergadget", "demo")
	h.world.kubectl(h.at, "wait", "--for=delete", "configmap/of-demo", "--timeout=60s") // in the namespace default
}

// A program that changes on disk is asked about every object again; one that is broken meanwhile harms nothing.
func (h *hooked) programChanged() {
	const text = `
json.load(sys.stdin)
json.dump({"children": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "child"}, "data": {"version": "1"}}]}, sys.stdout)
`
	h.sync(text)
	h.start("--hook", "./sync.py", "--owns", "v1/ConfigMap", "--resync", "0s")
	h.apply(gadget("demo", "x"))
	h.appears("configmap/child")
	h.sync("sys.exit('I am broken')")
	h.run.waitFor("Hook or templates changed; reconciling all objects", "I am broken", "failures=1")
	h.sync(strings.Replace(text, `"1"`, `"2"`, 1))
	h.run.waitFor("Hook or templates changed; reconciling all objects")
	h.shows("configmap/child", ".data.version", "2")
}

// Templates that change on disk are used at once, also where they begin to look into children, of which only the metadata were known.
func (h *hooked) templateChanged() {
	template := filepath.Join(h.dir, "t", "child.yaml")
	h.check(os.Mkdir(filepath.Dir(template), 0o755))
	const first = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: child}\ndata: {message: {{ .parent.spec.message }}}\n"
	h.write(template, first)
	h.start("--template", "t", "--owns", "v1/ConfigMap", "--resync", "0s")
	h.apply(gadget("demo", "one"))
	h.shows("configmap/child", ".data.message", "one")
	h.program(template, strings.Replace(first, "{{", "and {{", 1))
	h.run.waitFor("Hook or templates changed; reconciling all objects")
	h.shows("configmap/child", ".data.message", "and one")
	h.program(filepath.Join(h.dir, "t", "status.yaml"), `children: {{ range $name, $child := index .children "ConfigMap.v1" }}{{ $name }} says {{ $child.data.message }}{{ end }}`+"\n")
	h.run.waitFor("The templates read children now; beginning again", "Started workers")
	h.shows("gadget/demo", ".status.children", "child says and one")
	h.kubectl("patch", "gadget", "demo", "--type=merge", "-p", `{"spec":{"message":"two"}}`)
	h.shows("gadget/demo", ".status.children", "child says and two")
}

// Objects that make a rendering endless are errors of their own, by the bound that each exceeds, and others are reconciled.
func (h *hooked) evilObjects() {
	h.check(os.Mkdir(filepath.Join(h.dir, "t"), 0o755))
	h.write(filepath.Join(h.dir, "t", "child.yaml"), `{{ define "deep" }}{{ include "deep" . }}{{ end -}}
{{ $how := .parent.spec.message -}}
{{ if eq $how "deep" }}{{ include "deep" . }}{{ end -}}
{{ if eq $how "endless" }}{{ range $i := 1000000000000 }}{{ end }}{{ end -}}
{{ if eq $how "large" }}{{ $s := "xx" }}{{ range until 40 }}{{ $s = printf "%s%s" $s $s }}{{ end }}{{ end -}}
{apiVersion: v1, kind: ConfigMap, metadata: {name: {{ .parent.metadata.name }}}, data: {message: {{ $how }}}}
`)
	h.start("--template", "t", "--owns", "v1/ConfigMap", "--resync", "0s", "--hook-timeout", "2s")
	evil := map[string]string{"deep": "stack", "endless": "time", "endless-too": "time", "large": "memory"}
	for name := range evil {
		h.apply(gadget(name, strings.TrimSuffix(name, "-too")))
	}
	h.apply(gadget("good", "one"))
	h.appears("configmap/good")
	h.shows("configmap/good", ".data.message", "one")
	for name, bound := range evil {
		h.eventually(bound+" limit of ", h.at, crdctl, "kubectl", "get", "events", "-n", h.name, "--field-selector", "reason=SyncError,type=Warning,involvedObject.name="+name)
		if line := regexp.MustCompile(`(?m)^.*key=evil/` + name + ` .* ` + bound + ` limit of .*$`); !line.MatchString(h.run.text()) {
			h.Errorf("no line of the log tells that %s exceeds the %s limit:\n%s", name, bound, h.run.text())
		}
	}
	h.kubectl("patch", "gadget", "good", "--type=merge", "-p", `{"spec":{"message":"two"}}`)
	h.shows("configmap/good", ".data.message", "two")
	h.kubectl("patch", "gadget", "endless", "--type=merge", "-p", `{"spec":{"message":"harmless"}}`) // does not wait for the back-off
	h.appears("configmap/endless")
	h.shows("configmap/endless", ".data.message", "harmless")
}

// A kind that is not among those of --owns is refused with the flag that mends it; other objects are not held up.
func (h *hooked) undeclared() {
	h.sync(`
kind = json.load(sys.stdin)["parent"]["spec"]["message"]
json.dump({"children": [{"apiVersion": "v1", "kind": kind, "metadata": {"name": "made"}}]}, sys.stdout)
`)
	h.start("--hook", "./sync.py", "--owns", "v1/ConfigMap")
	h.apply(gadget("wrong", "Secret"))
	h.run.waitFor("Reconcile failed; retrying with back-off", "key=undeclared/wrong",
		"children[0]: Secret of v1 is not among the kinds of children; add --owns v1/Secret, or v1/Secret to loop.owns in crdctl.yaml", "failures=1")
	h.eventually("add --owns v1/Secret", h.at, crdctl, "kubectl", "get", "events", "-n", h.name, "--field-selector", "reason=SyncError,type=Warning,involvedObject.name=wrong")
	h.apply(gadget("right", "ConfigMap"))
	h.run.waitFor(`Successfully synced "undeclared/right"`)
	if got := h.kubectl("get", "secrets", "-o", "name"); got != "" {
		h.Errorf("there are %s", got)
	}
}

// Children of two kinds; the one that is no longer wanted goes, and the other stays. One of them is a kind that a cluster would protect from
// being deleted for as long as a pod uses it.
func (h *hooked) kinds() {
	h.sync(`
request = json.load(sys.stdin)
wanted = request["parent"]["spec"]["message"].split()
json.dump({"status": {"known": " ".join(kind for kind in sorted(request["children"]) if request["children"][kind])},
           "children": [{"apiVersion": "v1", "kind": kind, "metadata": {"name": "child"},
                         **({} if kind == "ConfigMap" else {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})} for kind in wanted]}, sys.stdout)
`)
	h.start("--hook", "./sync.py", "--owns", "v1/ConfigMap", "--owns", "v1/PersistentVolumeClaim")
	h.apply(gadget("demo", "ConfigMap PersistentVolumeClaim"))
	h.shows("gadget/demo", ".status.known", "ConfigMap.v1 PersistentVolumeClaim.v1")
	uid := h.kubectl("get", "configmap", "child", "-o", "jsonpath={.metadata.uid}")
	h.kubectl("patch", "gadget", "demo", "--type=merge", "-p", `{"spec":{"message":"ConfigMap"}}`)
	h.vanishes("persistentvolumeclaim/child")
	h.shows("gadget/demo", ".status.known", "ConfigMap.v1")
	if got := h.kubectl("get", "configmap", "child", "-o", "jsonpath={.metadata.uid}"); got != uid {
		h.Errorf("the child that stays was %s, and is %s", uid, got)
	}
}

// A persistent program is asked about two objects at once: this one answers neither before it knows both.
func (h *hooked) persistent() {
	h.sync(`
import threading
both, lock = threading.Barrier(2), threading.Lock()
def serve(call):
    if call["request"]["parent"].get("status") is None:
        both.wait()
    with lock:
        print(json.dumps({"id": call["id"], "response": {"status": {"by": str(os.getpid())}, "children": []}}), flush=True)
for line in sys.stdin:
    threading.Thread(target=serve, args=[json.loads(line)]).start()
`)
	h.start("--hook", "./sync.py", "--hook-persistent")
	h.apply(gadget("one", "x") + "---\n" + gadget("two", "x"))
	h.kubectl("wait", "--for=jsonpath={.status.by}", "gadget/one", "gadget/two", "--timeout=60s")
	one, two := h.kubectl("get", "gadget", "one", "-o", "jsonpath={.status.by}"), h.kubectl("get", "gadget", "two", "-o", "jsonpath={.status.by}")
	if one != two {
		h.Errorf("one was answered by process %s, and two by %s", one, two)
	}
}
