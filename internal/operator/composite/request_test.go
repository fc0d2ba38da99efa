// SPDX-License-Identifier: Apache-2.0

package composite

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/operator/controller"
)

const controllerText = `{"apiVersion":"metacontroller.k8s.io/v1alpha1","kind":"CompositeController","metadata":{"name":"demo"},"spec":{"childResources":[{"apiVersion":"apps/v1","resource":"deployments"},{"apiVersion":"v1","resource":"configmaps"}],"parentResource":{"apiVersion":"example.com/v1","resource":"foos"}}}`

// The format is Metacontroller's (CompositeHookRequest, version v1), byte by byte but for the order of fields in objects.
func TestRequestOfANamespacedParent(t *testing.T) {
	inBubble(t, []Served{deployments, configMaps}, func(b *bed) {
		mine := child(deployments, "web", `"resourceVersion":"7"`, owned("a", "uid-a"))
		b.endpoint(deployments).Answer(nil, mine, child(deployments, "other", `"resourceVersion":"7"`, owned("b", "uid-b")))
		b.endpoint(configMaps).Answer(nil, child(configMaps, "free", `"resourceVersion":"7"`))
		within()
		parent := foo("a", `{"spec":{"n":1}}`)
		b.expect(parent, "")
		want := `{"controller":` + controllerText + `,"parent":` + parent + `,"children":{"Deployment.apps/v1":{"web":` + mine + `},"ConfigMap.v1":{}},"related":{},"finalizing":false}`
		assert.Equal(b, want, string(b.decider.calls[0].Body), "asked")
		if c := b.decider.calls[0]; c.Key != "default/a" || c.Kind != "Foo" || c.Op != "sync" {
			b.Errorf("asked %s for %s %s", c.Op, c.Kind, c.Key)
		}
	})
}

func TestRequestOfAClusterScopedParent(t *testing.T) {
	inBubble(t, []Served{configMaps, roles}, func(b *bed) {
		inNamespace := child(configMaps, "web", `"resourceVersion":"7"`, owned("a", "uid-a"))
		free := strings.Replace(child(roles, "all", `"resourceVersion":"7"`, owned("a", "uid-a")), `"namespace":"default",`, "", 1)
		b.endpoint(configMaps).Answer(nil, inNamespace)
		b.endpoint(roles).Answer(nil, free)
		within()
		b.expect(strings.Replace(foo("a"), `"namespace":"default",`, "", 1), "")
		want := `"children":{"ConfigMap.v1":{"default/web":` + inNamespace + `},"ClusterRole.rbac.authorization.k8s.io/v1":{"all":` + free + `}},"related":{},"finalizing":false}`
		assert.True(b, strings.HasSuffix(string(b.decider.calls[0].Body), want))
	}, clusterScoped)
}

// A role may have nearly any name.
func TestRequestWithOddNames(t *testing.T) {
	for _, name := range []string{`a\u007fb`, `a\"b`, `a\\b`, `a\u0026b`, `a\tb`, `ä:b`} {
		inBubble(t, []Served{roles}, func(b *bed) {
			b.endpoint(roles).Answer(nil, `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"`+name+`","uid":"u","resourceVersion":"7",`+owned("a", "uid-a")+`}}`)
			within()
			b.expect(strings.Replace(foo("a"), `"namespace":"default",`, "", 1), "")
			var asked struct{ Children map[string]map[string]any }
			var plain string
			require.NoError(b, errors.Join(json.Unmarshal(b.decider.calls[0].Body, &asked), json.Unmarshal([]byte(`"`+name+`"`), &plain)), name)
			if got := asked.Children["ClusterRole.rbac.authorization.k8s.io/v1"]; len(got) != 1 || got[plain] == nil {
				b.Errorf("%s: asked about %v", name, got)
			}
		}, clusterScoped)
	}
}

func TestRequestWithoutKindsOfChildren(t *testing.T) {
	inBubble(t, nil, func(b *bed) {
		b.expect(foo("a"), "")
		if got := string(b.decider.calls[0].Body); !strings.Contains(got, `"childResources":[]`) || !strings.Contains(got, `"children":{},`) {
			b.Errorf("asked %s", got)
		}
	})
}

// clusterScoped makes the parents cluster-scoped.
func clusterScoped(b *bed) {
	b.handle.Kind = controller.Kind{Resource: foos.Resource, Kind: foos.Kind, StatusSubresource: true}
}
