package stories

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// S1 to the letter: a CronTab without a status, the sample of the walk-through, and the controller that init writes.
func TestCrontabWithoutStatus(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.dir, "controller-demo")
	w.run(w.dir, crdctl, "init", "-C", dir, "--group", "stable.example.com", "--version", "v1beta1", "--kind", "CronTab",
		"--short-names", "ct", "--no-status", "--field", "cronSpec:string", "--field", "image:string", "--field", "replicas:int32")
	w.run(dir, crdctl, "generate")
	w.run(dir, crdctl, "verify")
	for _, file := range []string{
		"pkg/apis/stable/v1beta1/zz_generated.deepcopy.go",
		"pkg/client/clientset/versioned/clientset.go",
		"pkg/client/clientset/versioned/scheme/register.go",
		"pkg/client/clientset/versioned/fake/clientset_generated.go",
		"pkg/client/clientset/versioned/typed/stable/v1beta1/stable_client.go",
		"pkg/client/clientset/versioned/typed/stable/v1beta1/crontab.go",
		"pkg/client/clientset/versioned/typed/stable/v1beta1/generated_expansion.go",
		"pkg/client/clientset/versioned/typed/stable/v1beta1/doc.go",
		"pkg/client/clientset/versioned/typed/stable/v1beta1/fake/fake_crontab.go",
		"pkg/client/informers/externalversions/factory.go",
		"pkg/client/informers/externalversions/generic.go",
		"pkg/client/informers/externalversions/internalinterfaces/factory_interfaces.go",
		"pkg/client/informers/externalversions/stable/interface.go",
		"pkg/client/informers/externalversions/stable/v1beta1/crontab.go",
		"pkg/client/listers/stable/v1beta1/crontab.go",
	} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
			t.Error(err)
		}
	}
	clients, err := os.ReadFile(filepath.Join(dir, "pkg/client/clientset/versioned/typed/stable/v1beta1/crontab.go"))
	w.check(err)
	if strings.Contains(string(clients), "UpdateStatus") {
		t.Error("the client of a kind without a status has UpdateStatus")
	}

	w.check(os.WriteFile(filepath.Join(dir, "crontab-demo.yaml"), []byte(crontabDemo), 0o644))
	run := w.start(dir, crdctl, "run")
	run.waitFor(`"Event handlers set up"`, `"Starting control loop"`, `"Waiting for informer caches to sync"`, `"Started workers" count=2`)
	w.kubectl(dir, "apply", "-f", "crontab-demo.yaml")
	run.waitFor(`"Processing CronTab" crontab="default/crontab-demo"`, `nginx:1.7.9`, `"Successfully synced" crontab="default/crontab-demo"`)
	w.eventually("Synced", dir, crdctl, "kubectl", "get", "events", "--field-selector", "reason=Synced,type=Normal,involvedObject.name=crontab-demo")
	before := w.kubectl(dir, "get", "ct", "crontab-demo", "-o", "jsonpath={.metadata.resourceVersion}")
	w.replace(filepath.Join(dir, "crontab-demo.yaml"), "replicas: 2", "replicas: 3")
	w.kubectl(dir, "apply", "-f", "crontab-demo.yaml")
	after := w.kubectl(dir, "get", "ct", "crontab-demo", "-o", "jsonpath={.metadata.resourceVersion}")
	if before == after {
		t.Errorf("resourceVersion %s before and after the update", after)
	}
	run.waitFor(`"Processing CronTab" crontab="default/crontab-demo" resourceVersion="`+after+`"`, `"replicas":3`, `"Successfully synced"`)
	w.kubectl(dir, "delete", "-f", "crontab-demo.yaml")
	run.waitFor(`"CronTab is gone from the cache; deletion handled" crontab="default/crontab-demo"`, `"Successfully synced"`)
	if got := w.kubectl(dir, "get", "crontab", "-o", "name"); got != "" {
		t.Errorf("after the delete, get lists %s", got)
	}
	w.end(run)
	w.leavesNothing(dir)
}

const crontabDemo = `apiVersion: stable.example.com/v1beta1
kind: CronTab
metadata: {name: crontab-demo, namespace: default}
spec: {cronSpec: "* * * * */5", image: nginx:1.7.9, replicas: 2}
`
