// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// objects are those of a text, with --- between them.
func objects(t *testing.T, text string) (all []*unstructured.Unstructured) {
	t.Helper()
	for doc := range strings.SplitSeq(text, "---\n") {
		o := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(doc), &o.Object))
		all = append(all, o)
	}
	return all
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: a, namespace: a-system}
spec: {template: {spec: {containers: [{name: b, image: b, args: [--namespace=a-system, "--text={{ b }}"]}]}}}
`

func TestNewRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"no Deployment":   {"kind: Namespace\nmetadata: {name: a}\n", Options{}, "the manifests have no Deployment of the controller"},
		"two Deployments": {deployment + "---\n" + strings.Replace(deployment, "name: a,", "name: c,", 1), Options{}, "two Deployments, a and c"},
		"no container":    {"kind: Deployment\nmetadata: {name: a}\n", Options{}, "deployment a has no container"},
		"above the limit": {deployment, Options{Requests: map[string]string{"cpu": "2"}, Limits: map[string]string{"cpu": "1500m"}}, "--requests: cpu=2 is above its limit, 1500m; lower"},
		"no quantity":     {deployment, Options{Limits: map[string]string{"cpu": "x"}}, "--limits: cpu=x is not a quantity"},
		"less than zero":  {deployment, Options{Limits: map[string]string{"cpu": "-1"}}, "--limits: cpu=-1 must not be negative"},
		"no resource":     {deployment, Options{Requests: map[string]string{"mem": "1Mi"}}, "--requests: mem=1Mi: mem is not a resource of a container; write cpu, memory, ephemeral-storage, hugepages-SIZE, or a name with a domain such as example.com/gpu"},
	} {
		_, err := New(objects(t, test.text), test.o)
		assert.ErrorContains(t, err, test.want, name)
	}
	_, err := New(objects(t, deployment), Options{Limits: map[string]string{"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi", "example.com/gpu": "1"}})
	require.NoError(t, err)
}

// Only what means the namespace of the controller changes with it.
func TestNamespace(t *testing.T) {
	const text = `kind: Namespace
metadata: {name: a-system}
---
kind: Other
metadata: {name: a-system, namespace: a-system, annotations: {cert-manager.io/inject-ca-from: a-system/x, other: a-system/x}}
spec: {dnsNames: [x.a-system.svc, x.a-system.svc.cluster.local, a-system.example.com], text: a-system, ref: {namespace: a-system}, in: {namespace: b}, url: "https://x.a-system.svc:443/y"}
`
	b, err := New(objects(t, deployment+"---\n"+text+"---\n"+text), Options{Image: "i", Namespace: "to"})
	require.NoError(t, err)
	got, err := b.Manifest()
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(got), "kind: "), "an object is there twice")
	for _, want := range []string{
		"metadata:\n  name: to\n", "  name: a-system\n  namespace: to\n", "inject-ca-from: to/x\n    other: a-system/x\n",
		"- x.to.svc\n  - x.to.svc.cluster.local\n  - a-system.example.com\n", "in:\n    namespace: b\n  ref:\n    namespace: to\n  text: a-system\n  url: https://x.to.svc:443/y\n", "- --namespace=to\n",
	} {
		assert.Contains(t, string(got), want)
	}
}

// Manifests without a namespace go to the one that is asked for, and to that of the release.
func TestNoNamespace(t *testing.T) {
	text := strings.Replace(deployment, ", namespace: a-system", "", 1) + `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: r}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: s}
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: i}
---
apiVersion: example.com/v1
kind: Unknown
metadata: {name: u}
`
	for namespace, want := range map[string]int{"": 0, "to": 3} {
		b, err := New(objects(t, text), Options{Image: "i", Namespace: namespace})
		require.NoError(t, err)
		got, err := b.Manifest()
		require.NoError(t, err)
		assert.Equal(t, want, strings.Count(string(got), "\n  namespace: to\n"), string(got))
		assert.Equal(t, want, strings.Count(string(got), "\n  namespace: "), string(got))
	}
	b, err := New(objects(t, text), Options{Image: "i"})
	require.NoError(t, err)
	files, err := b.Chart(false)
	require.NoError(t, err)
	got, _ := files.Content("templates/deployment.yaml")
	assert.Contains(t, string(got), "\n  namespace: {{ .Values.namespace | default .Release.Namespace }}\n")
}

// A sidecar may have a name that controllers have, too.
func TestContainer(t *testing.T) {
	const one = "{name: b, image: b, args: [--namespace=a-system, \"--text={{ b }}\"]}"
	for containers, want := range map[string]string{
		"{name: a}, {name: b}":                           "a",
		"{name: a}, {name: manager}, {name: controller}": "manager",
	} {
		b, err := New(objects(t, strings.Replace(deployment, one, containers, 1)), Options{Image: "i"})
		require.NoError(t, err)
		assert.Equal(t, want, b.container["name"], containers)
	}
}

// Text that means something to Helm is text in a chart, too.
func TestChartEscapes(t *testing.T) {
	b, err := New(objects(t, deployment), Options{Image: "i"})
	require.NoError(t, err)
	files, err := b.Chart(false)
	require.NoError(t, err)
	got, _ := files.Content("templates/deployment.yaml")
	assert.Contains(t, string(got), `- --text={{ "{{" }} b }}`)
	assert.Contains(t, string(got), "- --namespace={{ .Values.namespace | default .Release.Namespace }}")
}

func TestSplitImage(t *testing.T) {
	for image, want := range map[string][3]string{
		"a":                    {"a", "", ""},
		"a/b:1":                {"a/b", "1", ""},
		"h:5000/b":             {"h:5000/b", "", ""},
		"h:5000/b:1@sha256:ab": {"h:5000/b", "1", "sha256:ab"},
	} {
		repository, tag, digest := splitImage(image)
		assert.Equal(t, want, [3]string{repository, tag, digest}, image)
	}
}
