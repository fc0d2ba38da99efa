package stories

import (
	"path/filepath"
	"strings"
	"testing"
)

// S3 as in a cluster: the controller is its service account and may do what config/rbac says. A permission that is taken
// out is found at once, and at the end; one that nobody needs is found at the end.
func TestFooWithItsRoleOnly(t *testing.T) {
	w := newWorld(t)
	dir := w.handwritten("foo")
	run := w.start(dir, crdctl, "run", "--as-service-account", "default/foo-controller")
	run.waitFor("crdctl: applied serviceaccount/foo-controller in default, clusterrole.rbac.authorization.k8s.io/foo-controller, clusterrolebinding", `"Started workers" count=2`)
	w.kubectl(dir, "apply", "-f", "config/samples")
	run.waitFor(`"Creating the Deployment"`, `"Successfully synced" foo="default/example-foo" availableReplicas=1`)
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"spec":{"replicas":2}}`)
	run.waitFor(`"Resizing the Deployment"`, `"Successfully synced" foo="default/example-foo" availableReplicas=2`)
	// A second event of one kind is counted by a patch of the first.
	w.eventually("true", dir, crdctl, "kubectl", "get", "events", "--field-selector", "reason=Synced,source=foo-controller",
		"-o", `go-template={{range .items}}{{gt .count 1}}{{end}}`)
	for _, denied := range []string{"delete deployments", "get deployments", "update foos", "create foos", "get secrets", "list pods", "delete events"} {
		args := append([]string{"kubectl", "auth", "can-i", "--as=system:serviceaccount:default:foo-controller"}, strings.Fields(denied)...)
		if out, stderr, err := w.try(dir, crdctl, args...); exitCode(err) != 1 || strings.TrimSpace(out) != "no" {
			t.Errorf("the role lets the controller %s: %v\n%s%s", denied, err, out, stderr)
		}
	}
	w.end(run)
	const held = "crdctl: default/foo-controller used all the permissions that its roles grant, and needed no other\n"
	if out := run.text(); !strings.Contains(out, held) || strings.Contains(out, "refused") || strings.Contains(out, "forbidden") {
		t.Errorf("the report is not\n%s", held)
	}

	// Somebody takes a verb out of the role.
	role := filepath.Join(dir, "config/rbac/cluster_role.yaml")
	w.replace(role, "[list, watch, create, update]", "[list, watch, create]")
	run = w.start(dir, crdctl, "run", "--as-service-account", "default/foo-controller")
	run.waitFor(`"Started workers" count=2`)
	w.kubectl(dir, "apply", "-f", "config/samples")
	run.waitFor(`"Successfully synced" foo="default/example-foo" availableReplicas=1`)
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"spec":{"replicas":2}}`)
	run.waitFor("crdctl: the API server refused default/foo-controller: update deployments.apps in default")
	code := run.interrupt()
	run.waitFor("crdctl: default/foo-controller was refused what its roles do not grant:\ncrdctl:   update deployments.apps in default\n",
		"crdctl: grant it, if the controller needs it, with\n", `- {apiGroups: ["apps"], resources: [deployments], verbs: [update]}`)
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}

	// Given back while the controller runs, it is used, and nothing is missing at the end.
	run = w.start(dir, crdctl, "run", "--as-service-account", "default/foo-controller")
	run.waitFor(`"Started workers" count=2`)
	w.kubectl(dir, "apply", "-f", "config/samples")
	run.waitFor(`"Successfully synced" foo="default/example-foo" availableReplicas=1`)
	w.kubectl(dir, "patch", "foo", "example-foo", "--type=merge", "-p", `{"spec":{"replicas":2}}`)
	run.waitFor("crdctl: the API server refused default/foo-controller: update deployments.apps in default")
	w.replace(role, "[list, watch, create]", "[list, watch, create, update]")
	run.waitFor("crdctl: applied clusterrole.rbac.authorization.k8s.io/foo-controller", `"Successfully synced" foo="default/example-foo" availableReplicas=2`)
	w.end(run)
	if strings.Contains(run.text(), "was refused what its roles do not grant") {
		t.Error("what the role grants by now is said to be missing")
	}
	w.leavesNothing(dir)
}
