// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stretchr/testify/assert"

	"github.com/crdctl/crdctl/internal/operator/hook"
	"github.com/crdctl/crdctl/internal/operator/informer"
)

func TestChildrenThatAreRefused(t *testing.T) {
	for children, want := range map[string]string{
		`{}`:   "children[0]: apiVersion or kind is missing",
		`null`: "children[0]: apiVersion or kind is missing",
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"generateName":"a-"}}`: "children[0]: the Deployment has no metadata.name; set one (generateName is not supported)",
		bare(roles, "a"): "children[0]: ClusterRole a is cluster-scoped, and an object in a namespace cannot own it",
		`{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"a"}}`:              "children[0]: Deployment of apps/v1beta1 is not an owned kind; add --owns apps/v1beta1/Deployment, or apps/v1beta1/Deployment to loop.owns in crdctl.yaml",
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"elsewhere"}}`: "children[0]: ConfigMap elsewhere/a is not in the namespace of its parent, default; an owner must be in the same namespace",
		bare(deployments, "a") + "," + bare(configMaps, "a") + "," + bare(deployments, "a"):      "children[2]: Deployment default/a is in the list already; each child must be there once",
		bare(deployments, "../../x"): `children[0]: the Deployment has "../../x" for a name or a namespace, which may not contain '/'`,
		bare(deployments, ".."):      `children[0]: the Deployment has ".." for a name or a namespace, which may not be '..'`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","ownerReferences":[{"uid":"x","controller":true}]}}`: "children[0]: ConfigMap default/a has another controller in its ownerReferences; an object can have only one",
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","ownerReferences":[1]}}`:                             "children[0]: ConfigMap default/a has ownerReferences that are not a list of objects",
	} {
		inBubble(t, []Served{deployments, configMaps, roles}, func(b *bed) {
			b.decider.answers[hook.Sync] = wants(children)
			b.expect(foo("a"), want)
			b.wrote("nothing is done by halves")
		})
	}
}

func TestChildrenOfAClusterScopedParentThatAreRefused(t *testing.T) {
	for children, want := range map[string]string{
		bare(configMaps, "a"): "ConfigMap a has no metadata.namespace; set it, because its parent is cluster-scoped",
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"elsewhere"}}`:                     "ConfigMap elsewhere/a is in a namespace that this loop does not watch; add it to --namespace (loop.namespaces)",
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a","namespace":"b"}}`: "ClusterRole b/a is cluster-scoped; remove metadata.namespace",
	} {
		inBubble(t, []Served{configMaps, roles}, func(b *bed) {
			b.decider.answers[hook.Sync] = wants(children)
			b.expect(strings.Replace(foo("a"), `"namespace":"default",`, "", 1), want)
			b.wrote("refused")
		}, clusterScoped, inOneNamespace)
	}
}

// inOneNamespace has the loop follow the namespace default only.
func inOneNamespace(b *bed) {
	follow := b.handle.Follow
	b.handle.Follow = func(s informer.Source, h informer.Handler) informer.Set {
		if s.Namespaced {
			s.Namespace = "default"
		}
		return follow(s, h)
	}
}

// Knative has a Service too.
func TestKindsOfTwoGroupsMayShareTheirName(t *testing.T) {
	services := Served{Resource: schema.GroupVersionResource{Version: "v1", Resource: "services"}, Kind: "Service", Namespaced: true}
	knative := Served{Resource: schema.GroupVersionResource{Group: "serving.knative.dev", Version: "v1", Resource: "services"}, Kind: "Service", Namespaced: true}
	inBubble(t, []Served{services, knative}, func(b *bed) {
		b.decider.answers[hook.Sync] = wants(bare(services, "web"), bare(knative, "web"))
		b.expect(foo("a"), "")
		b.wrote("two services", "PATCH /api/v1/namespaces/default/services/web", "PATCH /apis/serving.knative.dev/v1/namespaces/default/services/web")
	})
}

func TestWhatIsApplied(t *testing.T) {
	reference := `{"apiVersion":"example.com/v1","blockOwnerDeletion":true,"controller":true,"kind":"Foo","name":"a","uid":"uid-a"}`
	for wanted, want := range map[string]string{
		bare(configMaps, "m"): `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"default","ownerReferences":[` + reference + `]}}`,
		// What was shown is handed back, with numbers, letters and all.
		`{"apiVersion":"v1","kind":"ConfigMap","data":{"n":9007199254740993,"f":0.5,"t":"<&>"},"status":{"a":1},"metadata":{"name":"m","namespace":"default",
		  "uid":"x","resourceVersion":"1","generation":1,"creationTimestamp":null,"managedFields":[],"labels":{"a":"b"},"ownerReferences":[` + reference + `]}}`: `{"apiVersion":"v1","data":{"f":0.5,"n":9007199254740993,"t":"<&>"},"kind":"ConfigMap","metadata":{"labels":{"a":"b"},"name":"m","namespace":"default","ownerReferences":[` + reference + `]}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","ownerReferences":[{"kind":"Bar","uid":"b"}]}}`: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m","namespace":"default","ownerReferences":[{"kind":"Bar","uid":"b"},` + reference + `]}}`,
	} {
		inBubble(t, []Served{configMaps}, func(b *bed) {
			b.decider.answers[hook.Sync] = wants(wanted)
			b.expect(foo("a"), "")
			request := b.wrote("one child", "PATCH /api/v1/namespaces/default/configmaps/m")[0]
			assert.Equal(b, want, request.Body, "applied")
			if q := request.Query; q.Get("fieldManager") != "demo" || q.Get("force") != "true" || q.Get("dryRun") != "" || request.ContentType != "application/apply-patch+yaml" {
				b.Errorf("%s as %s", q.Encode(), request.ContentType)
			}
		})
	}
}
