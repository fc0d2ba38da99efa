// SPDX-License-Identifier: Apache-2.0

package chart_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/run/chart"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// configMap is a template that shows what it is rendered with.
const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\n  namespace: {{ .Release.Namespace }}\ndata: {shown: '{{ SHOWN }}'}\n"

func template(name, shown string) string {
	return strings.NewReplacer("NAME", name, "SHOWN", shown).Replace(configMap)
}

// built renders a chart of the name shop in the directory charts/own.
func built(t *testing.T, files map[string]string, server chart.Server) (*chart.Built, error) {
	t.Helper()
	root := t.TempDir()
	all := map[string]string{"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n"}
	maps.Copy(all, files)
	for name, content := range all {
		safefstest.WriteFiles(t, root, map[string]string{"charts/own/" + name: content})
	}
	b, err := chart.Build(root, filepath.Join("charts", "own"), server)
	for i, file := range b.Files {
		rel, err := filepath.Rel(filepath.Join(root, "charts", "own"), file)
		require.NoError(t, err)
		b.Files[i] = filepath.ToSlash(rel)
	}
	return b, err
}

// shown are the values in the ConfigMaps of a chart, by their names.
func shown(b *chart.Built) map[string]any {
	all := map[string]any{}
	for _, o := range b.Objects {
		data, _ := o.Object["data"].(map[string]any)
		all[o.GetName()] = data["shown"]
	}
	return all
}

// Objects have the values' defaults, the release, and the API server; hooks, notes, partial templates and ignored files are left out. What templates
// make is split into documents as Helm does.
func TestBuild(t *testing.T) {
	b, err := built(t, map[string]string{
		"values.yaml":            "name: tea\n",
		".helmignore":            "*.bak\n",
		"crds/crd.yaml":          "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: '{{ verbatim }}'}\n",
		"files/a.txt":            "from a file",
		"templates/_helpers.tpl": `{{ define "shop.full" }}{{ .Release.Name }}-{{ .Values.name }}{{ end }}`,
		"templates/a.yaml":       template("a", `include "shop.full" .`) + "---\n" + template("b", `.Files.Get "files/a.txt"`),
		"templates/c.yaml":       template("c", `.Capabilities.KubeVersion.Version }} {{ .Capabilities.APIVersions.Has "v1/Pod" }} {{ .Capabilities.APIVersions.Has "v2/Pod"`),
		"templates/d.yaml":       template("d", `lookup "v1" "Secret" "" "x"`) + "labels: {a: b}\nlabels: {a: c}\n",
		"templates/hook.yaml":    strings.Replace(template("hook", `1`), "metadata:", "metadata:\n  annotations: {helm.sh/hook: post-install}", 1),
		"templates/split.yaml":   "{{ if true }}\n  ---\n" + template("indented", `1`) + "---" + template("glued", `2`) + "--- \n\n  " + template("first", `3`) + "{{ end }}",
		"templates/NOTES.txt":    "not: [YAML",
		"templates/off.yaml":     "{{ if .Values.on }}" + template("off", `1`) + "{{ end }}",
		"templates/x.yaml.bak":   "{{ broken",
		"templates/.x.yaml.swp":  "{{ broken",
	}, chart.Server{Version: "v1.37.1", APIs: []string{"v1", "v1/Pod"}})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"{{ verbatim }}": nil, "a": "shop-tea", "b": "from a file", "c": "v1.37.1 true false", "d": "map[]", "indented": "1", "glued": "2", "first": "3"}, shown(b))
	assert.Equal(t, filepath.Join("charts", "own", "crds", "crd.yaml")+":1", b.Objects[0].Place())
	assert.Equal(t, filepath.Join("charts", "own", "templates", "a.yaml")+":1", b.Objects[2].Place())
	assert.Equal(t, "default", b.Objects[2].GetNamespace())
	assert.True(t, b.Objects[0].Built)
	assert.Subset(t, b.Files, []string{".", "templates", "templates/a.yaml", "templates/_helpers.tpl", "values.yaml", ".helmignore"})
	assert.NotContains(t, b.Files, "templates/x.yaml.bak")
}

// Dependencies get their own values under those that the chart has for them and under its globals. Conditions and tags turn them off.
func TestDependencies(t *testing.T) {
	files := map[string]string{
		"Chart.yaml": `apiVersion: v2
name: shop
version: 0.1.0
dependencies:
- {name: one, version: 1.x, repository: ''}
- {name: one, alias: two, version: 1.x, repository: ''}
- {name: idle, version: 1.x, repository: '', condition: 'unknown,idle.enabled'}
- {name: tagged, version: 1.x, repository: '', tags: [extra]}
- {name: away, version: 1.x, repository: 'https://example.com', condition: one.enabled}
- {name: unused, version: 1.x, repository: 'https://example.com', condition: idle.enabled}
`,
		"values.yaml":      "global: {region: eu}\ntwo: {word: of the chart, gone: null, other: {gone: null}}\ntags: {extra: false}\n",
		"templates/a.yaml": template("own", ".Values.one.word }} {{ .Values.two.word"),
	}
	for _, name := range []string{"one", "idle", "tagged", "extra"} {
		files["charts/"+name+"/Chart.yaml"] = "apiVersion: v2\nname: " + name + "\nversion: 1.2.3\n"
		files["charts/"+name+"/values.yaml"] = "word: its own\ngone: here\nenabled: " + map[bool]string{true: "false", false: "true"}[name == "idle"] + "\n"
		files["charts/"+name+"/templates/a.yaml"] = template("{{ .Chart.Name }}", ".Values.word }} {{ .Values.global.region }} {{ .Values.gone }}{{ if .Values.other }}other{{ end")
	}
	b, err := built(t, files, chart.Server{})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"own": "its own of the chart", "one": "its own eu here", "two": "of the chart eu ", "extra": "its own eu here",
	}, shown(b))
	assert.Equal(t, []string{"away"}, b.Missing)
}

// Errors are one line each, with the place.
func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  []string // what the error begins with, by line
	}{
		"a broken template": {
			map[string]string{"templates/a.yaml": "a: b\n{{ if }}\n"},
			[]string{"render the chart in charts/own: parse error at (charts/own/templates/a.yaml:2): missing value for if"},
		},
		"a required value": {
			map[string]string{"templates/a.yaml": "a: {{ required \"a URL is required\" .Values.url }}\n"},
			[]string{"render the chart in charts/own: execution error at (charts/own/templates/a.yaml:1:6): a URL is required"},
		},
		"an error in a template that another includes": {
			map[string]string{"templates/_a.tpl": `{{ define "a" }}{{ .Values.a.b.c }}{{ end }}`, "templates/a.yaml": `a: {{ include "a" . }}`},
			[]string{`render the chart in charts/own: charts/own/templates/a.yaml:1:6 executing "charts/own/templates/a.yaml" at <include "a" .>: error calling include: charts/own/templates/_a.tpl:1:26`},
		},
		"a template of a library that is missing": {
			map[string]string{"templates/a.yaml": `a: {{ include "common.name" . }}`},
			[]string{`render the chart in charts/own: charts/own/templates/a.yaml:1:6`},
		},
		"no name":       {map[string]string{"Chart.yaml": "apiVersion: v2\nversion: 0.1.0\n"}, []string{"charts/own/Chart.yaml: validation: chart.metadata.name is required"}},
		"broken values": {map[string]string{"values.yaml": "a: [\n"}, []string{"read the chart in charts/own: cannot load values.yaml: cannot unmarshal yaml document: error converting YAML to JSON: yaml: "}},
		"a bad ignore":  {map[string]string{".helmignore": "a/**\n"}, []string{"read the chart in charts/own: .helmignore: double-star (**) syntax is not supported"}},
		"a CRD that is a template": {
			map[string]string{"crds/a.yaml": "kind: A\nmetadata:\n  {{- toYaml .Values }}\n"},
			[]string{"charts/own/crds/a.yaml:3: invalid YAML: a value is missing or a bracket is not closed; add what is missing; Helm does not render the files in crds, and this one is a template"},
		},
		"what is no object": {
			map[string]string{"templates/a.yaml": "a: b\n", "templates/b.yaml": "{{ 1 }}: [\n", "templates/c.yaml": template("good", "1")},
			[]string{"rendered charts/own/templates/a.yaml:1: not a Kubernetes object: ", "rendered charts/own/templates/b.yaml:1: invalid YAML: "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := built(t, test.files, chart.Server{})
			require.Error(t, err)
			lines := strings.Split(filepath.ToSlash(err.Error()), "\n")
			require.Len(t, lines, len(test.want), err)
			for i, want := range test.want {
				assert.True(t, strings.HasPrefix(lines[i], want), "%s\nwant %s", lines[i], want)
			}
			if name == "what is no object" {
				assert.Equal(t, map[string]any{"good": "1"}, shown(b), "the rest is read")
			}
		})
	}
}

func TestCRDs(t *testing.T) {
	dir := t.TempDir()
	safefstest.WriteFiles(t, dir, map[string]string{"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n"})
	assert.Equal(t, filepath.Join(dir, "Chart.yaml"), chart.File(dir))
	assert.Empty(t, chart.File(filepath.Join(dir, "templates")))
	_, err := chart.CRDs(dir)
	require.ErrorContains(t, err, "the chart renders no CustomResourceDefinition")
	safefstest.WriteFiles(t, dir, map[string]string{"templates/crd.yaml": `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.shop.example.com}
spec:
  group: shop.example.com
  scope: {{ "Namespaced" }}
  names: {kind: Order, plural: orders}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`})
	crds, err := chart.CRDs(dir)
	require.NoError(t, err)
	require.Len(t, crds, 1)
	assert.Equal(t, "orders.shop.example.com", crds[0].Name)
}
