package stories

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// system runs the commands of one system as docs/scaffold.md has them, and returns the directory of the project, which is
// verified. That such projects pass their own tests is shown where scaffolds of all shapes are built.
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
	return dir
}

// S2: a protected group. The CRD is taken, because it says who approved it, and refused where it does not.
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
	// Without the annotation the API server refuses the CRD; crdctl passes on its reason, and the controller stays.
	crd := filepath.Join(dir, "config/crd/crddemo.k8s.io_mydemos.yaml")
	w.replace(crd, "api-approved.kubernetes.io", "approved.example.com")
	run.waitFor("api-approved.kubernetes.io", "goes on running; waiting for a change")
	w.replace(crd, "approved.example.com", "api-approved.kubernetes.io")
	run.waitFor("crdctl: the CRDs: all right again")
	// The CRD goes and comes back while the controller runs: it recovers by itself.
	w.kubectl(dir, "delete", "crd", "mydemos.crddemo.k8s.io")
	w.kubectl(dir, "apply", "-f", "config/crd")
	w.kubectl(dir, "wait", "--for=condition=Established", "crd/mydemos.crddemo.k8s.io", "--timeout=60s")
	w.eventually("created", dir, crdctl, "kubectl", "apply", "-f", "config/samples")
	run.waitFor(`"port":8080`, `"Successfully synced" mydemo="default/mydemo-demo"`)
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
