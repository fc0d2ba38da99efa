package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// otherKubectl is a kubectl of the minor version before that of the control plane, as users have it on their machines.
const otherKubectl = "v0.36.6"

// A user's own kubectl, of another minor version, works with the control plane by the kubeconfig that lies in .crdctl.
func TestKubectlOfAnotherMinorVersion(t *testing.T) {
	w := newWorld(t)
	binary := w.buildKubectl(otherKubectl)
	project := w.crontab()
	run := w.start(w.dir, crdctl, "run", "--builtin", "-f", filepath.Join(project, "config/crd"))
	run.waitFor("Started workers")
	flag := "--kubeconfig=" + filepath.Join(w.dir, ".crdctl", "kubeconfig")
	// What kubectl keeps of the API goes to the story's folder, not to the home of whoever runs the tests.
	args := func(words ...string) []string {
		return append([]string{flag, "--cache-dir=" + filepath.Join(w.dir, "cache")}, words...)
	}
	kubectl := func(words ...string) string {
		t.Helper()
		return w.run(w.dir, binary, args(words...)...)
	}
	contains := func(got string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in:\n%s", want, got)
			}
		}
	}

	_, server, _ := strings.Cut(w.kubectl(w.dir, "version"), "Server Version: ")
	if strings.HasPrefix(server, "v1."+strings.Split(otherKubectl, ".")[1]+".") {
		t.Fatalf("kubectl %s is of the server's minor version; let otherKubectl name another", otherKubectl)
	}
	contains(kubectl("version"), "Client Version: "+released(otherKubectl)+"\n", "Server Version: "+server)
	contains(kubectl("apply", "-f", filepath.Join(project, "config/samples")), "crontab.stable.example.com/crontab-demo created")
	run.waitFor(`Successfully synced "default/crontab-demo"`)
	contains(kubectl("apply", "--server-side", "--force-conflicts", "-f", filepath.Join(project, "config/samples")), "serverside-applied")
	contains(kubectl("get", "ct"), "NAME", "CRONSPEC", "IMAGE", "REPLICAS", "AGE", "crontab-demo", "* * * * */5", "nginx:1.29")
	w.eventually("FIELD: replicas <integer>", w.dir, binary, args("explain", "crontab.spec.replicas")...)
	w.eventually("Synced", w.dir, binary, args("get", "events", "--field-selector", "involvedObject.name=crontab-demo")...)
	contains(kubectl("describe", "crontab", "crontab-demo"), "Cron Spec:", "Image:", "Events:", "Synced")
	contains(kubectl("patch", "crontab", "crontab-demo", "--type=merge", "-p", `{"spec":{"replicas":5}}`), "crontab-demo patched")
	contains(kubectl("wait", "--for=jsonpath={.spec.replicas}=5", "crontab/crontab-demo", "--timeout=60s"), "condition met")
	run.waitFor("Spec changed", `\"replicas\":5`)
	contains(kubectl("create", "deployment", "web", "--image=nginx:1.29", "--replicas=2"), "deployment.apps/web created")
	contains(kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=60s"), "condition met")
	contains(kubectl("delete", "crontab", "crontab-demo"), `"crontab-demo" deleted`)
	run.waitFor("Deletion handled")
	if got := kubectl("get", "crontabs", "-o", "name"); got != "" {
		t.Errorf("after the delete, get lists %s", got)
	}
	if _, stderr, err := w.try(w.dir, binary, args("get", "crontab", "crontab-demo")...); exitCode(err) != 1 || !strings.Contains(stderr, "NotFound") {
		t.Errorf("get of what was deleted: %v\n%s", err, stderr)
	}

	w.end(run)
	w.leavesNothing(w.dir)
}

// buildKubectl builds kubectl from its module: the releases are no Go modules, and tests download nothing else. It is
// what upstream's main package does, which lies in another module, and big.
func (w *world) buildKubectl(version string) string {
	w.Helper()
	dir := filepath.Join(w.dir, "kubectl")
	w.check(os.Mkdir(dir, 0o755))
	for name, content := range map[string]string{
		"go.mod":  "module example.com/kubectl\n\ngo 1.26.0\n\nrequire k8s.io/kubectl " + version + "\n",
		"main.go": kubectlMain,
	} {
		w.check(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	w.run(dir, "go", "mod", "tidy")
	// As in a release, the linker tells it its version.
	w.run(dir, "go", "build", "-o", "kubectl", "-ldflags=-X k8s.io/component-base/version.gitVersion="+released(version), ".")
	return filepath.Join(dir, "kubectl")
}

// released is the version of Kubernetes that a version of its modules belongs to: v1.36.6 for v0.36.6.
func released(module string) string { return strings.Replace(module, "v0.", "v1.", 1) }

const kubectlMain = `// Command kubectl is kubectl.
package main

import (
	"os"

	"k8s.io/kubectl/pkg/cmd"
)

func main() {
	if err := cmd.NewDefaultKubectlCommand().Execute(); err != nil {
		os.Exit(1)
	}
}
`
