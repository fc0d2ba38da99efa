// SPDX-License-Identifier: Apache-2.0

// An external test: inside the package, these imports would be its own and come first.
package legacy_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "go.etcd.io/etcd/server/v3/etcdserver/api/v3rpc" // registers in its initializer
	_ "k8s.io/apiserver/pkg/audit"                     // registers in its initializer
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/crdctl/crdctl/internal/startup/register"
	_ "github.com/crdctl/crdctl/internal/startup/register/legacy"
)

// A metric is registered by Now, or at once after it; so are those of initializers, which shows that these come later.
func TestNow(t *testing.T) {
	count := func(name string) prometheus.Counter { return prometheus.NewCounter(prometheus.CounterOpts{Name: name}) }
	kube := func(name string) *metrics.Counter { return metrics.NewCounter(&metrics.CounterOpts{Name: name}) }
	counter := count("first")
	prometheus.MustRegister(counter)
	require.NoError(t, prometheus.Register(count("second")))
	legacyregistry.MustRegister(kube("third"))
	require.NoError(t, legacyregistry.Register(kube("fourth")))
	legacyregistry.RawMustRegister(count("fifth"))

	of := []string{"first", "second", "etcd_network_client_grpc_sent_bytes_total", "etcd_disk_backend_commit_duration_seconds"}
	ofKube := []string{"third", "fourth", "fifth", "apiserver_audit_event_total"}
	assert.Empty(t, present(t, prometheus.DefaultGatherer, of))
	assert.Empty(t, present(t, legacyregistry.DefaultGatherer, ofKube))
	register.Now()
	register.Now()
	assert.Equal(t, of, present(t, prometheus.DefaultGatherer, of))
	assert.Equal(t, ofKube, present(t, legacyregistry.DefaultGatherer, ofKube))

	assert.Error(t, prometheus.Register(count("first")), "it is registered")
	assert.Error(t, legacyregistry.Register(kube("third")), "it is registered")
	assert.True(t, prometheus.Unregister(counter))
	assert.NoError(t, prometheus.Register(counter))
}

// present returns those of the names that are registered.
func present(t *testing.T, from prometheus.Gatherer, names []string) (found []string) {
	t.Helper()
	families, err := from.Gather()
	require.NoError(t, err)
	for _, name := range names {
		for _, f := range families {
			if f.GetName() == name {
				found = append(found, name)
			}
		}
	}
	return found
}
