package stories

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/crdctl/crdctl/internal/controlplane/sockettest"
)

// With --data-dir the port, the kubeconfig and the objects outlast a run, and nobody else may use them meanwhile.
func TestDataDir(t *testing.T) {
	w := newWorld(t)
	dir, data := w.dir, filepath.Join(w.dir, "data")
	crd := filepath.Join(dir, "crd.yaml")
	if err := os.WriteFile(crd, []byte(otherCRD), 0o644); err != nil {
		t.Fatal(err)
	}
	run := w.start(dir, crdctl, "run", "--builtin", "-f", crd, "--data-dir", data)
	run.waitFor("crdctl: its data are kept in "+data, "Started workers")
	w.run(dir, crdctl, "kubectl", "create", "configmap", "kept")
	kubeconfig := filepath.Join(data, "kubeconfig")
	first, err := os.ReadFile(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.Load(first)
	if err != nil {
		t.Fatal(err)
	}
	for _, cluster := range config.Clusters {
		sockettest.OnlyAt(t, run.cmd.Process.Pid, cluster.Server)
	}
	other := filepath.Join(dir, "other")
	if err := os.Mkdir(other, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := w.try(other, crdctl, "run", "--builtin", "-f", crd, "--data-dir", data); exitCode(err) != 2 || !strings.Contains(stderr, data+" is in use by another control plane; stop that one or choose another directory") {
		t.Errorf("a second run on the same data: %v\n%s", err, stderr)
	}
	w.run(dir, crdctl, "kubectl", "create", "job", "now", "--image=example.com/image")
	w.run(dir, crdctl, "kubectl", "wait", "--for=condition=Complete", "job/now", "--timeout=60s")
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}

	run = w.start(dir, crdctl, "run", "--builtin", "-f", crd, "--data-dir", data, "--pods=pending")
	run.waitFor("Started workers")
	w.run(dir, crdctl, "kubectl", "create", "job", "later", "--image=example.com/image")
	w.eventually("Pending", dir, crdctl, "kubectl", "get", "pods", "-l", "batch.kubernetes.io/job-name=later")
	if second, err := os.ReadFile(kubeconfig); err != nil || string(second) != string(first) {
		t.Errorf("after a restart the kubeconfig is another one (%v)", err)
	}
	// kubectl of any kind, by the kubeconfig of before.
	if out := w.run(dir, crdctl, "kubectl", "--kubeconfig", kubeconfig, "get", "configmap", "kept", "-o", "name"); out != "configmap/kept\n" {
		t.Errorf("after a restart, get prints %q", out)
	}
	address := strings.TrimSuffix(strings.TrimPrefix(w.run(dir, crdctl, "kubectl", "config", "view", "--kubeconfig", kubeconfig, "-o", "jsonpath={.clusters[0].cluster.server}"), "https://"), "\n")
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}

	// Somebody else has the port by now.
	taken, err := net.Listen("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	_, stderr, err := w.try(dir, crdctl, "run", "--builtin", "-f", crd, "--data-dir", data)
	if want := "port " + port + " of 127.0.0.1 is taken; stop what listens there or choose another port: " + kubeconfig + " names it"; exitCode(err) != 2 || !strings.Contains(stderr, want) {
		t.Errorf("run on a port that is taken: %v\n%s\nwant %s", err, stderr, want)
	}
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	w.leavesNothing(dir)
}
