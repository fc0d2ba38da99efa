// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/crd/builtin"
)

func TestParseOwned(t *testing.T) {
	for text, want := range map[string]string{
		"apps/v1/Deployment":            "Apps().V1().Deployments(), AppsV1(), appsv1 k8s.io/api/apps/v1, appslisters k8s.io/client-go/listers/apps/v1, deployments",
		"apps/v1/ReplicaSet":            "Apps().V1().ReplicaSets(), AppsV1(), appsv1 k8s.io/api/apps/v1, appslisters k8s.io/client-go/listers/apps/v1, replicasets",
		"v1/ConfigMap":                  "Core().V1().ConfigMaps(), CoreV1(), corev1 k8s.io/api/core/v1, corelisters k8s.io/client-go/listers/core/v1, configmaps",
		"core/v1/Secret":                "Core().V1().Secrets(), CoreV1(), corev1 k8s.io/api/core/v1, corelisters k8s.io/client-go/listers/core/v1, secrets",
		"batch/v1/Job":                  "Batch().V1().Jobs(), BatchV1(), batchv1 k8s.io/api/batch/v1, batchlisters k8s.io/client-go/listers/batch/v1, jobs",
		"policy/v1/PodDisruptionBudget": "Policy().V1().PodDisruptionBudgets(), PolicyV1(), policyv1 k8s.io/api/policy/v1, policylisters k8s.io/client-go/listers/policy/v1, poddisruptionbudgets",
		"networking.k8s.io/v1/Ingress":  "Networking().V1().Ingresses(), NetworkingV1(), networkingv1 k8s.io/api/networking/v1, networkinglisters k8s.io/client-go/listers/networking/v1, ingresses",
		"autoscaling/v2/HorizontalPodAutoscaler": "Autoscaling().V2().HorizontalPodAutoscalers(), AutoscalingV2(), autoscalingv2 k8s.io/api/autoscaling/v2, " +
			"autoscalinglisters k8s.io/client-go/listers/autoscaling/v2, horizontalpodautoscalers",
	} {
		all, err := ParseOwned([]string{text}, true)
		require.NoError(t, err)
		o := all[0]
		got := fmt.Sprintf("%s().%s().%s(), %s(), %s %s, %s %s, %s", o.GroupGoName, o.VersionGoName, o.GoPlural, o.ClientMethod,
			o.Types.Alias, o.Types.Path, o.Listers.Alias, o.Listers.Path, o.Plural)
		assert.Equal(t, want, got, text)
	}
}

func TestParseOwnedRefuses(t *testing.T) {
	const other = "own one of apps/v1/DaemonSet, "
	for text, want := range map[string]string{
		"Deployment":                        `--owns "Deployment" must be GROUP/VERSION/KIND, for example apps/v1/Deployment, or v1/ConfigMap for the core group`,
		"apps/v1/":                          `--owns "apps/v1/" must be GROUP/VERSION/KIND, `,
		"a/b/c/d":                           `--owns "a/b/c/d" must be GROUP/VERSION/KIND, `,
		"apps/v1/Deployment=things":         `--owns "apps/v1/Deployment=things": the plural is known; omit =things`,
		"apps/v1/Deploymnet":                `--owns "apps/v1/Deploymnet": client-go has no such kind; did you mean apps/v1/Deployment?`,
		"v1/deployments":                    `--owns "v1/deployments": client-go has no such kind; did you mean apps/v1/Deployment?`,
		"batch/v2/CronJob":                  `--owns "batch/v2/CronJob": client-go has no such kind; did you mean batch/v1/CronJob?`,
		"foo/v1/Zap":                        `--owns "foo/v1/Zap": client-go has no such kind; name one such as apps/v1/DaemonSet, `,
		"v1/Namespace":                      `--owns "v1/Namespace": a Namespace is cluster-scoped, and a namespaced owner cannot own it `,
		"rbac.authorization.k8s.io/v1/Role": `--owns "rbac.authorization.k8s.io/v1/Role": crdctl has no example of a Role; ` + other,
	} {
		_, err := ParseOwned([]string{text}, true)
		assert.ErrorContains(t, err, want)
	}
	_, err := ParseOwned([]string{"v1/Pod", "core/v1/Pod"}, true)
	assert.EqualError(t, err, `--owns "core/v1/Pod": Pod is given twice; name each kind once`, "twice")
	_, err = ParseOwned([]string{"v1/Namespace"}, false)
	assert.NoError(t, err, "a cluster-scoped owner")
}

// Every kind that crdctl has an example object of exists in client-go.
func TestOwnableIsInClientGo(t *testing.T) {
	for name := range ownable {
		kind, err := config.ParseObjectKind(name)
		require.NoError(t, err)
		_, ok := builtin.Find(kind.GroupVersionKind())
		assert.True(t, ok, "client-go has no %s", name)
	}
}
