// SPDX-License-Identifier: Apache-2.0

package stories

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// "crdctl manifests", applied, and the controller run as its service account with the arguments of its pods: it does all its
// work, nothing is refused to it, and of what it is granted it uses all but what is named here with the reason.
func TestManifests(t *testing.T) {
	w := newWorld(t)
	dir, _ := w.plane()
	t.Run("projects", func(t *testing.T) { // ends when all of them have
		for name, test := range map[string]struct {
			life   func(d *deployed)
			unused []string
		}{
			"hooked":    {hookedLife, nil},
			"templated": {templatedLife, []string{finalizerRight("ClusterRole templated", "templated")}},
			"logged":    {loggedLife, nil},
			"spaced": {spacedLife, []string{
				finalizerRight("Role team-a/spaced", "spaced") + " in team-a",
				finalizerRight("Role team-b/spaced", "spaced") + " in team-b",
			}},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				d := deploy(t, dir, name)
				test.life(d)
				d.end(d.process)
				d.leavesNothing(d.dir)
				report := d.report()
				assert.Empty(t, report.Missing, "refused")
				var unused []string
				for _, p := range report.Unused {
					unused = append(unused, p.Role+": "+p.String())
				}
				assert.Equal(t, test.unused, unused, "granted for nothing:\n%s\nwant\n%s", strings.Join(unused, "\n"), strings.Join(test.unused, "\n"))
				for _, word := range []string{"forbidden", "refuses", " ERR "} {
					assert.NotContains(t, d.text(), word, "the log")
				}
			})
		}
	})
}

// finalizerRight takes the finalizers of a former finalize hook away, and none of these projects had one before.
func finalizerRight(role, name string) string { return role + ": patch " + name + "s.example.com" }

// hookedLife: children of two kinds are made, changed, removed, restored when another client changes them; finalized at the end. It has
// two shards, and so the leases of those.
func hookedLife(d *deployed) {
	d.apply("hooked", "default", `{replicas: 1, config: true}`)
	d.is("1 true", "hooked", "default", `{{.status.replicas}} {{.status.config}}`)
	d.is("1", "deployment", "default", `{{.spec.replicas}}`)
	d.is("crdctl.dev/hooked", "hooked", "default", `{{index .metadata.finalizers 0}}`)
	d.is("seen", "configmap", "default", `{{.data.secret}}`)

	d.apply("hooked", "default", `{replicas: 2, config: true}`)
	d.is("2", "deployment", "default", `{{.spec.replicas}}`)
	d.kubectl(d.plane, "delete", "deployment", "sample", "-n", "default")
	d.is("2", "deployment", "default", `{{.spec.replicas}}`)
	d.apply("hooked", "default", `{replicas: 2, config: false}`)
	d.gone("configmap", "default")
	d.is("2 false", "hooked", "default", `{{.status.replicas}} {{.status.config}}`)
	d.events("hooked", "Decided", "default") // said by the hook, and said again

	d.kubectl(d.plane, "delete", "hooked", "sample", "-n", "default")
	d.gone("hooked", "default")
	d.gone("deployment", "default")
}

// templatedLife: a child and a status from templates, one of which is a block for the others.
func templatedLife(d *deployed) {
	d.apply("templated", "default", `{text: one, more: true}`)
	d.is("one", "configmap/templated-sample", "default", `{{.data.text}}`)
	d.is("one", "templated", "default", `{{.status.text}}`)
	d.apply("templated", "default", `{text: two, more: true}`)
	d.is("two", "templated", "default", `{{.status.text}}`)
	d.apply("templated", "default", `{text: three}`)
	d.gone("configmap/templated-more", "default")
	d.is("three", "configmap/templated-sample", "default", `{{.data.text}}`)
	d.events("templated", "Synced", "default")
}

// loggedLife: nothing decides, and what is seen is logged.
func loggedLife(d *deployed) {
	d.apply("logged", "default", `{a: 1}`)
	d.waitFor("Successfully synced kind=Logged key=default/sample")
	d.apply("logged", "default", `{a: 2}`)
	d.waitFor("Successfully synced kind=Logged key=default/sample")
	d.events("logged", "Synced", "default")
	d.kubectl(d.plane, "delete", "logged", "sample", "-n", "default")
	d.waitFor("Deletion handled")
}

// spacedLife: two namespaces, and nothing elsewhere.
func spacedLife(d *deployed) {
	for _, namespace := range []string{"team-a", "team-b", "team-c"} {
		d.apply("spaced", namespace, `{text: one, more: true}`)
	}
	for _, namespace := range []string{"team-a", "team-b"} {
		d.is("one", "configmap/templated-sample", namespace, `{{.data.text}}`)
		d.apply("spaced", namespace, `{text: two}`)
		d.is("two", "spaced", namespace, `{{.status.text}}`)
		d.gone("configmap/templated-more", namespace)
		d.events("spaced", "Synced", namespace)
	}
	if out := d.kubectl(d.plane, "get", "configmaps", "-n", "team-c", "-o", "name"); strings.Contains(out, "templated") {
		d.world.Errorf("there is work in a namespace that is not the controller's: %s", out)
	}
}

// manifestsProject lays out the project of a case, and returns its directory.
func (w *world) manifestsProject(name string) string {
	dir := filepath.Join(w.dir, name)
	for _, folder := range []string{"crds", "hooks", "templates"} {
		w.check(os.MkdirAll(filepath.Join(dir, folder), 0o755))
	}
	settings := map[string]string{
		"hooked": "  hook: python3 hooks/sync.py\n  finalizeHook: python3 hooks/sync.py\n  customizeHook: python3 hooks/sync.py\n" +
			"  owns: [apps/v1/Deployment, v1/ConfigMap]\n  related: [v1/Secret]\n  shards: 2\n  leaseDuration: 10s\n",
		"templated": "  template: templates\n  owns: [v1/ConfigMap]\n",
		"logged":    "",
		"spaced":    "  template: templates\n  owns: [v1/ConfigMap]\n  namespaces: [team-a, team-b]\n",
	}[name]
	kind := strings.ToUpper(name[:1]) + name[1:]
	for file, content := range map[string]string{
		"crdctl.yaml":            "apiVersion: crdctl.dev/v1alpha1\nkind: Project\ncrds: {dir: crds}\nloop:\n  name: " + name + "\n" + settings,
		"crds/crd.yaml":          fmt.Sprintf(exampleCRD, name+"s", kind),
		"hooks/sync.py":          manifestsHook,
		"templates/_names.tpl":   `{{ define "data" -}}{text: {{ .parent.spec.text | quote }}}{{- end }}`,
		"templates/one.yaml":     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: templated-sample}\ndata: {{ include \"data\" . }}\n",
		"templates/more.yaml":    "{{ if .parent.spec.more }}apiVersion: v1\nkind: ConfigMap\nmetadata: {name: templated-more}\n{{ end }}",
		"templates/status.yaml":  "{{ include \"data\" . }}\n",
		"templates/README.notes": "not taken along\n",
	} {
		w.check(os.WriteFile(filepath.Join(dir, file), []byte(content), 0o644))
	}
	return dir
}

// manifestsHook answers all three hooks.
const manifestsHook = `import json, os, sys

request = json.load(sys.stdin)
parent = request["parent"]
name, labels = parent["metadata"]["name"], {"app": parent["metadata"]["name"]}
if os.environ["CRDCTL_HOOK"] == "customize":
    json.dump({"relatedResources": [{"apiVersion": "v1", "resource": "secrets", "names": ["hooked-secret"]}]}, sys.stdout)
    sys.exit()
deployment = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
    "spec": {
        "replicas": parent["spec"]["replicas"], "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "example.com/main"}]}},
    },
}
secret = "seen" if request["related"]["Secret.v1"] else "missing"
config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"secret": secret}}
wanted = [] if request["finalizing"] else [deployment] + ([config] if parent["spec"]["config"] else [])
json.dump({
    "status": {"replicas": parent["spec"]["replicas"], "config": parent["spec"]["config"]}, "children": wanted,
    "finalized": not any(request["children"].values()),
    "events": [{"type": "Normal", "reason": "Decided", "message": "children were decided on"}],
}, sys.stdout)
`
