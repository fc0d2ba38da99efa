package stories

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// builtinSystem is one of the walk-throughs' systems, for the controller that is built in.
type builtinSystem struct {
	docs   string // its section in docs/scaffold.md
	name   string // of the CRD
	late   bool   // the controller is there before the CRD
	object string
	typed  string // what kubectl calls the object
	key    string
	patch  string
	before string // of the spec in the log, and after the patch
	after  string
	// refused are specs that the API server must not take, and why.
	refused map[string]string
}

var builtinSystems = map[string]builtinSystem{
	"S1": {
		docs: "S1", name: "crontabs.stable.example.com", object: crontabDemo, typed: "crontab/crontab-demo", key: "default/crontab-demo",
		patch: `{"spec":{"replicas":5}}`, before: `\"image\":\"nginx:1.7.9\",\"replicas\":2`, after: `\"replicas\":5`,
	},
	"S2": {
		docs: "S2", name: "mydemos.crddemo.k8s.io", typed: "mydemo/example-mydemo", key: "default/example-mydemo", late: true,
		object: "apiVersion: crddemo.k8s.io/v1\nkind: Mydemo\nmetadata: {name: example-mydemo, namespace: default}\nspec: {ip: 127.0.0.1, port: 8080}\n",
		patch:  `{"spec":{"port":9080}}`, before: `\"port\":8080`, after: `\"port\":9080`,
	},
	"S4a": {
		docs: "S4a", name: "projects.example.sealyun.com", typed: "project/project-demo", key: "default/project-demo",
		object: "apiVersion: example.sealyun.com/v1alpha1\nkind: Project\nmetadata: {name: project-demo, namespace: default}\nspec: {replicas: 1}\n",
		patch:  `{"spec":{"replicas":2}}`, before: `\"replicas\":1`, after: `\"replicas\":2`,
		refused: map[string]string{
			"spec: {replicas: 0}": "spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1",
			"spec: {}":            "spec.replicas: Required value",
			"":                    "spec: Required value",
		},
	},
	"S4b namespaced": {
		docs: "S4b", name: "testtypes.examplecontroller.example.com", typed: "testtype/demo", key: "default/demo",
		object: "apiVersion: examplecontroller.example.com/v1\nkind: TestType\nmetadata: {name: demo, namespace: default}\nspec: {message: one}\n",
		patch:  `{"spec":{"message":"two"}}`, before: `\"message\":\"one\"`, after: `\"message\":\"two\"`,
	},
	"S4b cluster-scoped": {
		docs: "S4b", name: "clustertesttypes.examplecontroller.example.com", typed: "clustertesttype/demo", key: "demo",
		object: "apiVersion: examplecontroller.example.com/v1\nkind: ClusterTestType\nmetadata: {name: demo}\nspec: {message: one}\n",
		patch:  `{"spec":{"message":"two"}}`, before: `\"message\":\"one\"`, after: `\"message\":\"two\"`,
	},
}

// Each system of the walk-throughs with the built-in controller, all on one control plane: the log of an object from its creation to its
// end, its event, and what kubectl lists. The CRDs are those of the projects that docs/scaffold.md makes, the control plane is another process's.
func TestBuiltinSystems(t *testing.T) {
	w := newWorld(t)
	at, _ := w.plane()
	t.Run("each", func(t *testing.T) {
		for name, system := range builtinSystems {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				newLoneWorld(t).builtinSystem(at, system)
			})
		}
	})
}

func (w *world) builtinSystem(at string, s builtinSystem) {
	w.Helper()
	manifests, dir := filepath.Join(w.system(s.docs), "config/crd"), w.TempDir()
	if !s.late {
		w.establish(at, manifests, s.name)
	}
	run := w.start(dir, crdctl, "run", "--builtin", "--kubeconfig", filepath.Join(at, ".crdctl/kubeconfig"), "--crd", s.name)
	if s.late {
		run.waitFor("Waiting for customresourcedefinition " + s.name)
		w.establish(at, manifests, s.name)
	}
	run.waitFor("Event handlers set up", "Starting control loop", "Waiting for caches to sync", "Caches synced", "Started workers", "count=2")

	file := filepath.Join(dir, "object.yaml")
	w.write(file, s.object)
	w.eventually("created", dir, crdctl, "-C", at, "kubectl", "apply", "-f", file) // kubectl finds a new CRD a moment after it is there
	run.waitFor("Object added", "key="+s.key+" ", s.before, `Successfully synced "`+s.key+`"`)
	if got := w.kubectl(at, "get", s.typed, "-o", "name"); !strings.HasSuffix(strings.TrimSpace(got), s.typed[strings.Index(s.typed, "/"):]) {
		w.Errorf("get lists %s", got)
	}
	kind, name, _ := strings.Cut(s.typed, "/")
	w.eventually("Synced", at, crdctl, "kubectl", "get", "events", "-A", "--field-selector",
		"reason=Synced,type=Normal,source=crdctl,involvedObject.name="+name+",involvedObject.kind="+regexp.MustCompile(`kind: (\w+)`).FindStringSubmatch(s.object)[1])

	before := w.kubectl(at, "get", s.typed, "-o", "jsonpath={.metadata.resourceVersion}")
	w.kubectl(at, "patch", s.typed, "--type=merge", "-p", s.patch)
	after := w.kubectl(at, "get", s.typed, "-o", "jsonpath={.metadata.resourceVersion}")
	if before == after {
		w.Errorf("resourceVersion %s before and after the update", after)
	}
	run.waitFor("Spec changed", "key="+s.key+" resourceVersion="+after+" ", s.after, `Successfully synced "`+s.key+`"`)

	for spec, why := range s.refused {
		bad := filepath.Join(dir, "bad.yaml")
		lines := strings.SplitAfter(strings.Replace(s.object, name, "refused", 1), "\n")
		w.write(bad, strings.Join(lines[:3], "")+spec+"\n")
		if _, stderr, err := w.try(at, crdctl, "kubectl", "apply", "-f", bad); err == nil || !strings.Contains(stderr, why) {
			w.Errorf("%s: %v, %s, want %s", spec, err, stderr, why)
		}
		w.check(os.Remove(bad))
	}

	w.kubectl(at, "delete", s.typed)
	run.waitFor("Key is gone from the cache", "key="+s.key, "Deletion handled", `Successfully synced "`+s.key+`"`)
	if got := w.kubectl(at, "get", kind, "-o", "name"); got != "" {
		w.Errorf("after the delete, get lists %s", got)
	}
	w.end(run)
	run.waitFor("Shutting down workers", "Control loop stopped")
	if strings.Contains(run.text(), "refused") {
		w.Error("the controller heard of an object that was refused")
	}
	w.leavesNothing(dir)
}

// on is the world for a part of its story.
func (w *world) on(t *testing.T) *world {
	part := *w
	part.T = t
	return &part
}

const crontabDemo = `apiVersion: stable.example.com/v1beta1
kind: CronTab
metadata: {name: crontab-demo, namespace: default}
spec: {cronSpec: "* * * * */5", image: nginx:1.7.9, replicas: 2}
`
