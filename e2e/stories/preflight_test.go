package stories

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A change of a CRD that is bad for what is stored is said before it is applied; one that the API server refuses is not
// applied at all. Samples and manifests are applied when they change.
func TestChangeOfManifests(t *testing.T) {
	w := newWorld(t)
	dir := w.crontab()
	// Its own controller would be built for a long time, and is not what this is about.
	w.write(filepath.Join(dir, "crdctl.yaml"), "apiVersion: crdctl.dev/v1alpha1\nkind: Project\napis: [pkg/apis]\ncrds: {dir: config/crd}\n"+
		"controller: {package: ./small, manifests: [config/extra], samples: [config/samples]}\n")
	w.check(errors.Join(os.Mkdir(filepath.Join(dir, "small"), 0o755), os.Mkdir(filepath.Join(dir, "config/extra"), 0o755)))
	w.write(filepath.Join(dir, "small/main.go"), smallMain)
	extra := filepath.Join(dir, "config/extra/map.yaml")
	if err := os.WriteFile(extra, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: team}\ndata: {color: blue}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	crd, err := os.ReadFile(filepath.Join(dir, "config/crd/stable.example.com_crontabs.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(dir, "config/extra/plain.yaml")
	w.write(plain, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\n")
	w.write(filepath.Join(dir, "config/extra/copy.yaml"), string(crd)) // not applied, and so not removed
	run := w.start(dir, crdctl, "run")
	run.waitFor("crdctl: created the namespace team, which manifests name", "crdctl: applied configmap/settings in team, configmap/plain in default", "Started workers")

	sample := filepath.Join(dir, "config/samples/crontab.yaml")
	w.replace(sample, "replicas: 2", "replicas: 3")
	run.waitFor("crdctl: applied crontab.stable.example.com/crontab-demo in default")
	if got := w.kubectl(dir, "get", "ct/crontab-demo", "-o", "jsonpath={.spec.replicas}"); got != "3" {
		t.Errorf("the sample has %s replicas, want 3", got)
	}
	if _, stderr, err := w.try(dir, crdctl, "kubectl", "apply", "-f", "config/samples"); err != nil || strings.Contains(stderr, "last-applied") {
		t.Errorf("kubectl apply of an applied sample: %v\n%s", err, stderr)
	}
	w.replace(extra, "blue", "green")
	run.waitFor("crdctl: applied configmap/settings in team")
	if got := w.run(dir, crdctl, "kubectl", "get", "configmap", "settings", "-n", "team", "-o", "jsonpath={.data.color}"); got != "green" {
		t.Errorf("the color is %q, want green", got)
	}
	w.replace(extra, "kind: ConfigMap", "kind: ConfigMop")
	run.waitFor("crdctl: config/extra/map.yaml:1: configmop/settings in team: no matches for kind \"ConfigMop\" in version \"v1\"")
	w.write(extra, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: team}\ndata: {color: red}\n")
	run.waitFor("crdctl: applied configmap/settings in team")

	// A sample that is broken does not hold up a controller that is not.
	w.replace(sample, "spec:", "spec: [")
	w.replace(filepath.Join(dir, "small/main.go"), "Started workers", "Started workers again")
	run.waitFor("did not find expected", "Started workers again")
	w.replace(sample, "spec: [", "spec:")
	// What left the manifests leaves the API server, but what is only said otherwise stays, and what was never applied.
	w.replace(plain, "{name: plain}", "{name: plain, namespace: default}")
	if err := os.Remove(filepath.Join(dir, "config/extra/copy.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(extra, filepath.Join(dir, "config/extra/map.txt")); err != nil {
		t.Fatal(err)
	}
	run.waitFor("crdctl: removed configmap/settings in team, which manifests have no more")
	if out := run.text(); strings.Count(out, "crdctl: removed") != 1 || strings.Count(out, "configmap/plain") != 1 {
		t.Error("more was removed, or applied again")
	}
	if got := w.kubectl(dir, "get", "ct/crontab-demo", "configmap/plain", "-o", "name"); strings.Count(got, "\n") != 2 {
		t.Errorf("there is only %q", got)
	}
	// A CRD that somebody deleted comes back.
	w.kubectl(dir, "delete", "crd", "crontabs.stable.example.com")
	w.replace(sample, "replicas: 3", "replicas: 4")
	run.waitFor("crdctl: installed crontabs.stable.example.com", "crdctl: applied crontab.stable.example.com/crontab-demo in default")

	// A field that is narrower, and one that is gone.
	types := filepath.Join(dir, "pkg/apis/stable/v1beta1/types.go")
	w.replace(types, "\tReplicas *int32", "\t// +kubebuilder:validation:Maximum=2\n\tReplicas *int32")
	run.waitFor("is bad for objects that are stored:", "default/crontab-demo (v1beta1): spec.replicas: Invalid value: 4", "crdctl: installed crontabs.stable.example.com")

	// The API server refuses it: a default that its own rules refuse.
	file := filepath.Join(dir, "config/crd/stable.example.com_crontabs.yaml")
	w.replace(file, "maximum: 2", "maximum: 2\n                default: 9")
	run.waitFor("crdctl: config/crd/stable.example.com_crontabs.yaml:2: not installed: install CRD crontabs.stable.example.com (correct it if the API server refuses it)", "should be less than or equal to 2", "goes on running")
	if got := w.run(dir, crdctl, "kubectl", "get", "crd", "crontabs.stable.example.com", "-o", "yaml"); strings.Contains(got, "default: 9") {
		t.Error("the CRD that was refused is installed")
	}
	w.replace(file, "\n                default: 9", "")
	run.waitFor("crdctl: the CRDs: all right again")

	// A CRD that leaves the project stays.
	other := filepath.Join(dir, "config/crd/other.yaml")
	w.write(other, otherCRD)
	run.waitFor("crdctl: installed others.example.com, ")
	if err := os.Remove(other); err != nil {
		t.Fatal(err)
	}
	run.waitFor(" is not in the project any more; it stays with 0 objects until the run ends")
	if code := run.interrupt(); code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0", code)
	}
	w.leavesNothing(dir)
}
