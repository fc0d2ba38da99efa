package stories

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// system runs the commands of one system as docs/scaffold.md has them, and returns the folder of the project, which compiles,
// is verified, and passes its own tests.
func (w *world) system(name string) string {
	w.Helper()
	docs, err := os.ReadFile("../../docs/scaffold.md")
	w.check(err)
	_, section, ok := strings.Cut(string(docs), "\n### "+name+":")
	if !ok {
		w.Fatalf("docs/scaffold.md has no system %s", name)
	}
	section, _, _ = strings.Cut(section, "\n#")
	commands := regexp.MustCompile(`(?m)^    .*$`).FindAllString(section, -1)
	if len(commands) == 0 {
		w.Fatalf("docs/scaffold.md has no commands for %s", name)
	}
	script := strings.Join(commands, "\n")
	_, stderr, err := w.tryWith([]string{"PATH=" + filepath.Dir(crdctl) + string(os.PathListSeparator) + os.Getenv("PATH")}, w.dir, "sh", "-e", "-c", script)
	if err != nil {
		w.Fatalf("%s: %v\n%s", script, err, stderr)
	}
	if name == "S2" && !strings.Contains(stderr, "crddemo.k8s.io is a protected group") {
		w.Errorf("no word about the protected group in %s", stderr)
	}
	dir := filepath.Join(w.dir, regexp.MustCompile(`-C (\S+)`).FindStringSubmatch(script)[1])
	w.run(dir, crdctl, "verify")
	w.run(dir, "go", "test", "./...")
	return dir
}

// S1: what the walk-through shows, from the first object to the last.
func TestSystemCronTab(t *testing.T) {
	w := newWorld(t)
	dir := w.system("S1")
	run := w.start(dir, crdctl, "run")
	run.waitFor(`"Event handlers set up"`, `"Starting control loop"`, `"Waiting for informer caches to sync"`, `"Started workers" count=2`)
	w.kubectl(dir, "apply", "-f", "config/samples")
	run.waitFor(`"Processing CronTab" crontab="default/crontab-demo"`, `"Successfully synced" crontab="default/crontab-demo"`)
	w.eventually("Synced", dir, crdctl, "kubectl", "get", "events", "--field-selector", "reason=Synced,type=Normal,involvedObject.name=crontab-demo")
	w.kubectl(dir, "patch", "ct", "crontab-demo", "--type=merge", "-p", `{"spec":{"replicas":7}}`)
	run.waitFor(`"replicas":7`, `"Successfully synced"`)
	w.kubectl(dir, "delete", "-f", "config/samples")
	run.waitFor(`"CronTab is gone from the cache; deletion handled" crontab="default/crontab-demo"`)
	w.end(run)
	w.leavesNothing(dir)
}

// S2: a protected group. The CRD is taken, because it says who approved it.
func TestSystemMydemo(t *testing.T) {
	w := newWorld(t)
	dir := w.system("S2")
	run := w.start(dir, crdctl, "run")
	run.waitFor("crdctl: installed mydemos.crddemo.k8s.io", `"Started workers" count=2`)
	if got := w.kubectl(dir, "get", "crd", "mydemos.crddemo.k8s.io", "-o", `jsonpath={.metadata.annotations.api-approved\.kubernetes\.io}`); !strings.HasPrefix(got, "unapproved") {
		t.Errorf("the CRD is approved by %q", got)
	}
	w.kubectl(dir, "apply", "-f", "config/samples")
	run.waitFor(`"Successfully synced" mydemo="default/mydemo-demo"`)
	w.kubectl(dir, "patch", "mydemo", "mydemo-demo", "--type=merge", "-p", `{"spec":{"port":9080}}`)
	run.waitFor(`"port":9080`, `"Successfully synced" mydemo="default/mydemo-demo"`)
	// The CRD goes and comes back while the controller runs: it recovers by itself.
	w.kubectl(dir, "delete", "crd", "mydemos.crddemo.k8s.io")
	w.kubectl(dir, "apply", "-f", "config/crd")
	w.kubectl(dir, "wait", "--for=condition=Established", "crd/mydemos.crddemo.k8s.io", "--timeout=60s")
	w.eventually("created", dir, crdctl, "kubectl", "apply", "-f", "config/samples")
	run.waitFor(`"port":8080`, `"Successfully synced" mydemo="default/mydemo-demo"`)
	w.end(run)
	w.leavesNothing(dir)
}

// S4a: the schema refuses what the rules of a field refuse, with a clear message.
func TestSystemProject(t *testing.T) {
	w := newWorld(t)
	dir := w.system("S4a")
	run := w.start(dir, crdctl, "run")
	run.waitFor(`"Started workers" count=2`)
	w.kubectl(dir, "apply", "-f", "config/samples")
	run.waitFor(`"Successfully synced" project="default/project-demo"`)
	for name, c := range map[string]struct{ spec, want string }{
		"zero":    {"spec: {replicas: 0}", "spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1"},
		"none":    {"spec: {}", "spec.replicas: Required value"},
		"no spec": {"{}", "spec: Required value"},
	} {
		file := filepath.Join(w.dir, "bad.yaml")
		spec := c.spec
		if spec == "{}" {
			spec = ""
		}
		w.write(file, "apiVersion: example.sealyun.com/v1alpha1\nkind: Project\nmetadata: {name: bad, namespace: default}\n"+spec+"\n")
		if _, stderr, err := w.try(dir, crdctl, "kubectl", "apply", "-f", file); err == nil || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %v, %s; want %s", name, err, stderr, c.want)
		}
	}
	w.end(run)
	w.leavesNothing(dir)
}

// S4b: two kinds, one of them in no namespace, with a controller each in one process.
func TestSystemTestTypes(t *testing.T) {
	w := newWorld(t)
	dir := w.system("S4b")
	if _, err := os.Stat(filepath.Join(dir, "pkg/generated/clientset/versioned/typed/examplecontroller/v1/clustertesttype.go")); err != nil {
		t.Error(err)
	}
	run := w.start(dir, crdctl, "run")
	run.waitFor("crdctl: installed", `"Started workers" count=2`, `"Started workers" count=2`)
	w.kubectl(dir, "apply", "-f", "config/samples")
	w.until("both kinds are synced", func() bool {
		text := run.text()
		return strings.Contains(text, `"Successfully synced" clustertesttype="clustertesttype-demo"`) && strings.Contains(text, `"Successfully synced" testtype="default/testtype-demo"`)
	})
	if got := w.kubectl(dir, "api-resources", "--api-group=examplecontroller.example.com", "--namespaced=false", "-o", "name"); strings.TrimSpace(got) != "clustertesttypes.examplecontroller.example.com" {
		t.Errorf("in no namespace are %s", got)
	}
	w.end(run)
	w.leavesNothing(dir)
}
