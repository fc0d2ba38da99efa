// SPDX-License-Identifier: Apache-2.0

package run

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/run/builtin"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/ui"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

const chartDeployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: '{{ .Release.Name }}'}\nspec: {template: {spec: {containers: [{name: shop, args: [--word={{ .Values.word }}]}]}}}\n"

// chartIn are the files of a chart with a Deployment.
func chartIn(dir string) map[string]string {
	return map[string]string{
		dir + "/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n", dir + "/values.yaml": "word: tea\n", dir + "/templates/deployment.yaml": chartDeployment,
	}
}

func with(files map[string]string, more ...map[string]string) map[string]string {
	for _, m := range more {
		maps.Copy(files, m)
	}
	return files
}

func TestUseChart(t *testing.T) {
	managed := func(image string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: manager, image: \"" + image + "\"}]}}}\n"
	}
	const used = "crdctl: no manifest in a usual place has the controller's Deployment, so its manifests are those of the chart charts/shop with the defaults of its values.yaml\n"
	plain := strings.NewReplacer("{{ .Release.Name }}", "shop", "{{ .Values.word }}", "coffee").Replace(chartDeployment)
	for name, test := range map[string]struct {
		files     map[string]string
		manifests []string
		said      string
		program   string
	}{
		"one of its own": {
			files: with(chartIn("charts/shop"), chartIn("test/charts/a"), chartIn("examples/b"), chartIn("vendor/c"), chartIn("charts/shop/charts/e"), map[string]string{
				"charts/shop/charts/e/templates/deployment.yaml": "", "charts/go.mod": "module example.com/tests-of-charts\n",
				"library/Chart.yaml": "apiVersion: v2\nname: library\nversion: 0.1.0\ntype: library\n", "library/templates/_a.tpl": "{{ define \"a\" }}{{ end }}",
				"config/rbac/role.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n",
			}),
			manifests: []string{"charts/shop"}, said: used,
		},
		"a kustomization with the Deployment": {
			files:     with(chartIn("charts/shop"), map[string]string{"config/default/kustomization.yaml": "resources: [a.yaml]\n", "config/default/a.yaml": plain}),
			manifests: []string{"config/default"},
		},
		"a kustomization that cannot be built": {
			files:     with(chartIn("charts/shop"), map[string]string{"config/default/kustomization.yaml": "resources: ['https://example.com/a.yaml']\n"}),
			manifests: []string{"charts/shop"}, said: "crdctl: ROOT/config/default/kustomization.yaml: refers to https://example.com/a.yaml, which is not on this machine, and " +
				"crdctl run downloads nothing; name other manifests with -f, or as controller.manifests in crdctl.yaml\n" + used,
		},
		"two": {
			files: with(chartIn("charts/shop"), chartIn("charts/other")),
			said:  "crdctl: charts/other, charts/shop have a Deployment that may be the controller's; name one as controller.manifests in crdctl.yaml, which \"crdctl adopt\" writes\n",
		},
		"two, of which one has the name of the module": {
			files: with(chartIn("charts/shop"), chartIn("charts/shop-ui"), map[string]string{
				"charts/shop-ui/templates/deployment.yaml": strings.ReplaceAll(plain, "shop", "ui"), "go.mod": "module example.com/shop/v2\n",
			}),
			manifests: []string{"charts/shop"}, said: used,
		},
		"the next release of one": {
			files:     with(chartIn("charts/shop"), chartIn("manifest_staging/charts/shop")),
			manifests: []string{"manifest_staging/charts/shop"}, said: strings.Replace(used, "charts/shop", "manifest_staging/charts/shop", 1),
		},
		"one that does not render": {
			files: with(chartIn("charts/shop"), map[string]string{"charts/shop/templates/a.yaml": `a: {{ required "set url" .Values.url }}`}),
			said:  "crdctl: render the chart in charts/shop: execution error at (charts/shop/templates/a.yaml:1:6): set url; the chart is not used\n",
		},
		"one with several Deployments, of which one has the name of the module": {
			files: with(chartIn("charts/shop"), map[string]string{
				"charts/shop/templates/other.yaml": strings.ReplaceAll(plain, "shop", "other"), "go.mod": "module example.com/shop/v2\n",
			}),
			manifests: []string{"charts/shop"}, said: used,
		},
		"one with several Deployments, which may all be the controller's": {
			files: with(chartIn("charts/shop"), map[string]string{
				"charts/shop/templates/other.yaml": strings.Replace(plain, "shop", "other", 1), "go.mod": "module example.com/shop/v2\n",
			}),
			said: "crdctl: the chart in charts/shop has 2 Deployments and StatefulSets, and it is not clear which is the controller's (its program is named shop); " +
				"to give it arguments, set controller.args in crdctl.yaml; the chart is not used\n",
		},
		"no chart, and one kustomization": {
			files: map[string]string{
				"kustomization.yaml": "namespace: shop\nresources: [deploy/base, config/rbac]\n", "deploy/base/kustomization.yaml": "resources: [a.yaml]\n", "deploy/base/a.yaml": plain,
				"config/rbac/kustomization.yaml": "resources: [role.yaml]\n", "config/rbac/role.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n",
				"config/webhook/a.yaml":         "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n",
				"deploy/db/kustomization.yaml":  "resources: [a.yaml]\n",
				"deploy/db/a.yaml":              strings.ReplaceAll(plain, "shop", "db"),
				"examples/a/kustomization.yaml": "resources: [../../deploy/base]\n", "go.mod": "module example.com/shop\n",
			},
			manifests: []string{"config/webhook", "."}, said: "crdctl: no manifest in a usual place has the controller's Deployment, so its manifests are those of the kustomization in the project's directory\n",
		},
		"no chart, and two kustomizations": {
			files: map[string]string{
				"deploy/base/kustomization.yaml": "resources: [a.yaml]\n", "deploy/base/a.yaml": plain, "go.mod": "module example.com/shop\n",
				"deploy/one/kustomization.yaml": "resources: [../base]\n", "deploy/two/kustomization.yaml": "resources: [../base]\n",
			},
			said: "crdctl: deploy/one, deploy/two have a Deployment that may be the controller's; name one as controller.manifests in crdctl.yaml, which \"crdctl adopt\" writes\n",
		},
		"no chart, and two kustomizations, of which one is a bundle": {
			files: map[string]string{
				"k8s/kustomization.yaml": "resources: [a.yaml]\n", "k8s/a.yaml": plain, "go.mod": "module example.com/shop\n",
				"olm/manifests/kustomization.yaml": "resources: [../default, csv.yaml]\n", "olm/default/kustomization.yaml": "resources: [a.yaml]\n", "olm/default/a.yaml": plain,
				"olm/manifests/csv.yaml": "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: shop}\n",
			},
			manifests: []string{"k8s"}, said: "crdctl: no manifest in a usual place has the controller's Deployment, so its manifests are those of the kustomization k8s\n",
		},
		"no chart, and a kustomization that tests change": {
			files: map[string]string{
				"config/shop/kustomization.yaml": "resources: [a.yaml]\n", "config/shop/a.yaml": plain, "go.mod": "module example.com/shop\n",
				"kindtest/shop/kustomization.yaml": "resources: [../../config/shop]\n",
			},
			manifests: []string{"config/shop"}, said: "crdctl: no manifest in a usual place has the controller's Deployment, so its manifests are those of the kustomization config/shop\n",
		},
		"no chart and no kustomization, and one directory of plain manifests": {
			files: map[string]string{
				"deploy/2_shop.yaml": plain + "---\napiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: shop}\n", "deploy/1_rbac.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n", "deploy/0_crd.yaml": foreignCRD,
				"deploy/order.yaml": "apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: a}\n", "deploy/db.yaml": strings.ReplaceAll(plain, "shop", "db"),
				"deploy/template.yaml": "{{ a }}", "other/db.yaml": strings.ReplaceAll(plain, "shop", "db"), "go.mod": "module example.com/shop\n",
				"many/one.yaml": plain, "many/two.yaml": plain, "config/rbac/role.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\n",
			},
			manifests: []string{"config/rbac", "deploy/0_crd.yaml", "deploy/1_rbac.yaml", "deploy/2_shop.yaml"},
			said:      "crdctl: no manifest in a usual place has the controller's Deployment, so its manifests are deploy/0_crd.yaml, deploy/1_rbac.yaml, deploy/2_shop.yaml\n",
		},
		"one directory of plain manifests, whose Deployment is called like the module": {
			program: "cmd/manager", files: map[string]string{
				"deploy/shop.yaml": plain, "hack/ingress/deploy.yaml": managed("registry.example.com/ingress/manager:v1"),
				"go.mod": "module example.com/shop\n", "cmd/manager/main.go": "package main\n",
			},
			manifests: []string{"deploy/shop.yaml"},
			said:      "crdctl: no manifest in a usual place has the controller's Deployment, so its manifests are deploy/shop.yaml\n",
		},
		"one whose image is called like the module": {
			program: "cmd/manager", files: map[string]string{
				"deploy/shop.yaml": managed("example.com/shop/manager:v1"), "go.mod": "module example.com/shop\n", "cmd/manager/main.go": "package main\n",
			},
			manifests: []string{"deploy/shop.yaml"},
			said:      "crdctl: no manifest in a usual place has the controller's Deployment, so its manifests are deploy/shop.yaml\n",
		},
		"no chart and no kustomization, and two directories of plain manifests": {
			files: map[string]string{"deploy/shop.yaml": plain, "install/shop.yaml": plain, "manifest_staging/deploy/shop.yaml": plain, "go.mod": "module example.com/shop\n"},
			said:  "crdctl: install, manifest_staging/deploy have a Deployment that may be the controller's; name one as controller.manifests in crdctl.yaml, which \"crdctl adopt\" writes\n",
		},
		"no chart and no kustomization, and a directory with two workloads": {
			files: map[string]string{"deploy/one.yaml": plain, "deploy/two.yaml": plain, "go.mod": "module example.com/shop\n"},
			said:  "crdctl: deploy/one.yaml, deploy/two.yaml have a Deployment that may be the controller's; name one as controller.manifests in crdctl.yaml, which \"crdctl adopt\" writes\n",
		},
		"one that crdctl wrote": {files: with(chartIn("charts/shop"), map[string]string{"charts/shop/templates/rbac.yaml": "# Written by crdctl manifests, which overwrites changes made here.\n"})},
	} {
		t.Run(name, func(t *testing.T) {
			root, said := t.TempDir(), &strings.Builder{}
			safefstest.WriteFiles(t, root, test.files)
			p := &config.Project{}
			require.True(t, Locate(root, p))
			p.Controller.Package = test.program
			i := &installer{Options: Options{Options: builtin.Options{Root: root}, Project: p}, sources: newSources(root), reporter: ui.NewReporter(said)}
			i.useChart()
			assert.Equal(t, test.manifests, nonEmpty(p.Controller.Manifests))
			assert.Equal(t, test.said, strings.ReplaceAll(said.String(), root, "ROOT"))
		})
	}
}

// A chart is rendered again when one of its files changed, was added or removed. What it lacks is reported once. Its CRDs are those of the project's
// directories, where these have them.
func TestSourcesRenderCharts(t *testing.T) {
	i, said := managedInstaller(t, &mainpkg.Program{Dir: "cmd"})
	root := i.Root
	crd := strings.NewReplacer("KIND", "Order", "PLURAL", "orders").Replace(foreignCRD)
	safefstest.WriteFiles(t, root, with(chartIn("charts/shop"), map[string]string{
		"charts/shop/Chart.yaml":    "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies: [{name: away, version: 1.0.0, repository: 'https://example.com'}]\n",
		"charts/shop/crds/crd.yaml": crd + "---\n" + strings.NewReplacer("KIND", "Tea", "PLURAL", "teas").Replace(foreignCRD),
		"config/crd/bases/crd.yaml": crd,
	}))
	i.Project.Controller.Manifests = []string{"charts/shop"}
	args := func() []string {
		_, err := i.objects()
		require.NoError(t, err)
		return i.program.pod.Args
	}
	assert.Equal(t, []string{"--word=tea"}, args())
	safefstest.WriteFiles(t, root, map[string]string{"charts/shop/values.yaml": "word: coffee\n"})
	assert.Equal(t, []string{"--word=coffee"}, args())
	safefstest.WriteFiles(t, root, map[string]string{"charts/shop/templates/account.yaml": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: new}\n"})
	objects, err := i.objects()
	require.NoError(t, err)
	require.Len(t, objects, 1)
	assert.Equal(t, "new", objects[0].GetName())
	assert.Equal(t, "crdctl: left out dependencies of charts: away (not in charts/shop/charts)\n", said.String())
	crds, err := i.managerCRDs()
	require.NoError(t, err)
	var places []string
	for _, c := range crds {
		places = append(places, c.Name+" "+c.File)
	}
	assert.Equal(t, []string{"orders.certs.example.com config/crd/bases/crd.yaml", "teas.certs.example.com charts/shop/crds/crd.yaml"}, places)
	i.SkipCRDs = true
	assert.Subset(t, i.watched(), []string{"charts/shop", "charts/shop/templates", "charts/shop/crds"})
}
