// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/internal/testcache"
)

// controllerRuntime is the module whose envtest is served.
const controllerRuntime = "sigs.k8s.io/controller-runtime@v0.25.2"

// suite builds testdata/envtest, a project with tests on envtest, and returns its directory with a test binary in it.
var suite = sync.OnceValues(func() (dir string, err error) {
	key := []string{controllerRuntime, runtime.Version()}
	files := map[string]string{"suite_test.go": "testdata/envtest/suite_test.go", "crd.yaml": "testdata/envtest/crd.yaml", "go.mod": "../../go.mod", "go.sum": "../../go.sum"}
	content := map[string][]byte{}
	for name, from := range files {
		if content[name], err = os.ReadFile(from); err != nil {
			return "", err
		}
	}
	for _, name := range []string{"suite_test.go", "crd.yaml", "go.mod"} {
		key = append(key, string(content[name]))
	}
	return testcache.Dir("envtest-suite", key, func(dir string) error {
		for name, data := range content {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				return err
			}
		}
		// What crdctl is made of is there already: the suite takes the versions of its go.mod.
		for _, args := range [][]string{
			{"mod", "edit", "-module=example.com/suite", "-require=" + controllerRuntime},
			{"test", "-mod=mod", "-vet=off", "-c", "-ldflags=-s -w", "-o", "suite.test", "."},
		} {
			cmd := exec.Command("go", args...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=") // as crdctl is built: most of it is compiled already
			if said, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said)
			}
		}
		return nil
	})
})

// Two suites of envtest at once, unchanged: they start, with a feature gate that is gone, install a CRD and stop with 20 open watches.
// With controllers a namespace can be deleted.
func TestEnvtestSuite(t *testing.T) {
	w := newWorld(t)
	patient(w)
	dir, err := suite()
	w.check(err)
	out, stderr, err := w.tryWith([]string{"KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT=true"}, dir, crdctl, "test", "--", "./suite.test", "-test.v", "-test.run=TestSuite")
	require.NoError(w, err, "%s%s", out, stderr)
	assert.Equal(w, 2, strings.Count(out, "    --- PASS: "), out)
	assert.Equal(w, 1, strings.Count(stderr, "kube-apiserver (crdctl): ignored feature gates of other releases: GoneForYears=false"), stderr)
	out, stderr, err = w.try(dir, crdctl, "test", "--controllers", "--", "./suite.test", "-test.v", "-test.run=TestNamespaceGoes")
	require.NoError(w, err, "%s%s", out, stderr)
	assert.Contains(w, out, "--- PASS: TestNamespaceGoes")
	w.until("no process is left", func() bool { return len(w.processes()) == 0 })
}

// patient makes envtest wait as long as a busy machine may need: after 20 seconds, its default, it kills what it started and starts anew, so that
// the programs start twice and say all they say twice.
func patient(w *world) {
	w.setenv("KUBEBUILDER_CONTROLPLANE_START_TIMEOUT", "2m")
	w.setenv("KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT", "1m")
}

// The programs end with a test that is killed, and with a Ctrl-C on "crdctl test". An older version is emulated.
func TestEnvtestKilled(t *testing.T) {
	w := newWorld(t)
	patient(w)
	dir, err := suite()
	w.check(err)
	assets := strings.TrimSpace(w.run(dir, crdctl, "envtest", "path", "--kubernetes-version", "1.35"))
	w.setenv("KUBEBUILDER_ASSETS", assets)
	test := w.start(dir, filepath.Join(dir, "suite.test"), "-test.run=TestKilled")
	test.waitFor("version v1.37.1, emulates 1.35")
	w.until("the test, its API server and etcd run", func() bool { return len(w.processes()) == 3 })
	test.signal(syscall.SIGKILL)
	w.until("its API server and etcd are gone", func() bool { return len(w.processes()) == 0 })

	assert.Equal(w, "Client Version: v1.37.1+crdctl\n", w.run(dir, filepath.Join(assets, "kubectl"), "version", "--client"))
	interrupted := w.start(dir, crdctl, "test", "--kubernetes-version", "1.36", "--", "./suite.test", "-test.run=TestKilled")
	interrupted.waitFor("crdctl: --kubernetes-version: Kubernetes v1.37.1 emulates 1.36: ", "emulates 1.36")
	assert.Equal(w, 128+int(syscall.SIGINT), interrupted.interrupt())
	w.until("nothing is left", func() bool { return len(w.processes()) == 0 })
}

// The tests of a client-go project get a control plane with the project's CRDs, for as long as they run.
func TestPlaneForTests(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, "p")
	w.check(os.CopyFS(dir, os.DirFS("testdata/small")))
	out := w.run(dir, crdctl, "test", "--", "sh", "-c", crdctl+` kubectl get crd -o name; echo "$KUBECONFIG"`)
	name, kubeconfig, _ := strings.Cut(strings.TrimSpace(out), "\n")
	assert.Equal(w, "customresourcedefinition.apiextensions.k8s.io/others.example.com", name)
	assert.NoFileExists(w, kubeconfig)
	w.leavesNothing(dir)
}
