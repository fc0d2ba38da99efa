// SPDX-License-Identifier: Apache-2.0

package run

import (
	"encoding/base64"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
	"github.com/crdctl/crdctl/internal/workspace/mainpkg"
)

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &o.Object))
	return o
}

func TestWebhooksArePointedHere(t *testing.T) {
	w := &webhooks{port: 4321, ca: base64.StdEncoding.EncodeToString([]byte("authority"))}
	for name, test := range map[string]struct{ in, want string }{
		"a service": {
			"kind: ValidatingWebhookConfiguration\nwebhooks: [{name: a, clientConfig: {caBundle: Cg==, service: {name: s, namespace: n, path: /validate, port: 443}}}]",
			"kind: ValidatingWebhookConfiguration\nmetadata: {labels: {crdctl.dev/run: 'yes'}}\nwebhooks: [{name: a, clientConfig: {url: 'https://127.0.0.1:4321/validate', caBundle: YXV0aG9yaXR5}}]",
		},
		"a service without a path, and a URL": {
			"kind: MutatingWebhookConfiguration\nwebhooks: [{name: a, clientConfig: {service: {name: s, namespace: n}}}, {name: b, clientConfig: {url: 'https://example.com/'}}]",
			"kind: MutatingWebhookConfiguration\nmetadata: {labels: {crdctl.dev/run: 'yes'}}\nwebhooks: [{name: a, clientConfig: {url: 'https://127.0.0.1:4321/', caBundle: YXV0aG9yaXR5}}, {name: b, clientConfig: {url: 'https://example.com/'}}]",
		},
		"another kind": {
			"kind: Service\nwebhooks: [{clientConfig: {service: {path: /}}}]",
			"kind: Service\nwebhooks: [{clientConfig: {service: {path: /}}}]",
		},
		"none": {"kind: MutatingWebhookConfiguration", "kind: MutatingWebhookConfiguration"},
	} {
		t.Run(name, func(t *testing.T) {
			o := parsed(t, test.in)
			require.NoError(t, w.adapt(o))
			got, err := yaml.Marshal(o.Object)
			require.NoError(t, err)
			want, err := yaml.Marshal(parsed(t, test.want).Object)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
		})
	}
	assert.ErrorContains(t, w.adapt(parsed(t, "kind: MutatingWebhookConfiguration\nwebhooks: [text]")), "an entry is not an object", "an entry that is not an object")
}

func TestConversionIsPointedHere(t *testing.T) {
	w := &webhooks{port: 4321, ca: base64.StdEncoding.EncodeToString([]byte("authority"))}
	path := "/convert"
	crd := &apiextv1.CustomResourceDefinition{Spec: apiextv1.CustomResourceDefinitionSpec{Conversion: &apiextv1.CustomResourceConversion{
		Strategy: apiextv1.WebhookConverter,
		Webhook:  &apiextv1.WebhookConversion{ClientConfig: &apiextv1.WebhookClientConfig{Service: &apiextv1.ServiceReference{Path: &path}}},
	}}}
	plain := &apiextv1.CustomResourceDefinition{}
	got := w.adaptCRDs([]manifest.CRD{{CustomResourceDefinition: crd}, {CustomResourceDefinition: plain}})
	client := got[0].Spec.Conversion.Webhook.ClientConfig
	if client.Service != nil || client.URL == nil || *client.URL != "https://127.0.0.1:4321/convert" || string(client.CABundle) != "authority" {
		t.Errorf("client configuration %+v", client)
	}
	if crd.Spec.Conversion.Webhook.ClientConfig.Service == nil || got[1].CustomResourceDefinition != plain {
		t.Error("what was handed in was changed")
	}
}

// Ports that the system hands out may be taken before the controller is built.
func TestFreePort(t *testing.T) {
	port, err := freePort()
	require.NoError(t, err)
	assert.True(t, port >= firstPort && port <= lastPort, port)
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

// Webhooks of a controller that keeps their certificates in a Secret of its own cannot be called. Of a pod that mounts a Secret, the one that the
// annotation names may be that of the authority alone.
func TestWebhooksWithOwnCertificates(t *testing.T) {
	const hook = "\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: hook" +
		", annotations: {cert-manager.io/inject-ca-from-secret: shop-system/authority}}\n"
	for volume, kept := range map[string]bool{
		"secret: {secretName: made-in-the-cluster}":                             true,
		"projected: {sources: [{secret: {name: made-in-the-cluster}}]}":         true,
		"projected: {sources: [{configMap: {name: authority-of-the-cluster}}]}": false,
		"emptyDir: {}": false,
	} {
		t.Run(volume, func(t *testing.T) {
			i, said := managedInstaller(t, &mainpkg.Program{})
			manifests := strings.Replace(managerManifests, "secret: {secretName: made-in-the-cluster}", volume, 1)
			safefstest.WriteFiles(t, i.Root, map[string]string{"config/all.yaml": manifests + hook})
			for range 2 {
				objects, err := i.objects()
				require.NoError(t, err)
				assert.Equal(t, kept, slices.ContainsFunc(objects, func(o manifest.Object) bool { return o.GetName() == "hook" }))
			}
			want := 1
			if kept {
				want = 0
			}
			assert.Equal(t, want, strings.Count(said.String(), "skipped validatingwebhookconfiguration/hook, whose webhooks are not called: the controller makes"))
		})
	}
}

// Webhooks that the pods of another workload serve cannot be called, since that does not run.
func TestWebhooksOfAnotherWorkload(t *testing.T) {
	i, said := managedInstaller(t, &mainpkg.Program{})
	hooks := func(name string) string {
		return "\n---\napiVersion: v1\nkind: Service\nmetadata: {name: " + name + ", namespace: shop-system}\nspec: {selector: {control-plane: " + name + "}}\n" +
			"---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: " + name + "}\n" +
			"webhooks: [{name: a.example.com, clientConfig: {service: {name: " + name + ", namespace: shop-system}}}]\n"
	}
	server := "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: server, namespace: shop-system}\n" +
		"spec: {template: {metadata: {labels: {control-plane: webhook-server}}, spec: {containers: [{name: server}]}}}\n"
	safefstest.WriteFiles(t, i.Root, map[string]string{"config/all.yaml": managerManifests + hooks("controller-manager") + hooks("webhook-server") + hooks("unknown") + server})
	objects, err := i.objects()
	require.NoError(t, err)
	var names []string
	for _, o := range objects {
		if o.GetKind() == "MutatingWebhookConfiguration" {
			names = append(names, o.GetName())
		}
	}
	assert.Equal(t, []string{"controller-manager", "unknown"}, names)
	assert.Contains(t, said.String(), "skipped mutatingwebhookconfiguration/webhook-server, whose webhooks are not called: deployment/server serves them, which does not run here")

	// The program of the webhooks runs, though its Deployment has no label of kubebuilder.
	i.Project.Controller.Package = "cmd/server"
	unlabelled := strings.NewReplacer("control-plane: webhook-server", "app: webhook-server")
	safefstest.WriteFiles(t, i.Root, map[string]string{"config/all.yaml": unlabelled.Replace(managerManifests + hooks("webhook-server") + server)})
	objects, err = i.objects()
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(objects, func(o manifest.Object) bool { return o.GetKind() == "MutatingWebhookConfiguration" }), said.String())
}
