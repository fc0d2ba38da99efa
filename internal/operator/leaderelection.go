// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"errors"
	"fmt"
	"os"

	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"github.com/crdctl/crdctl/internal/operator/informer"
	"github.com/crdctl/crdctl/internal/operator/metrics"
	"github.com/crdctl/crdctl/internal/operator/pipeline"
	"github.com/crdctl/crdctl/internal/operator/shard"
)

// replicas divides the objects among the processes that run this controller.
func (c *instance) replicas() (*shard.Shards, error) {
	client, err := coordinationv1client.NewForConfig(informer.ClientConfig(informer.Unlimited(c.Config))) // renewals must not queue behind other requests
	if err != nil {
		return nil, fmt.Errorf("make a client for %s: %w", c.Config.Host, err)
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("find a name for this replica: %w", err)
	}
	var shards *shard.Shards
	shards = shard.New(shard.Options{
		Client: client, Namespace: c.LeaseNamespace, Name: c.Loop.Name, Identity: host,
		Shards: c.Loop.Shards, By: c.Loop.ShardBy, LeaseDuration: c.Loop.LeaseDuration, Log: c.Log,
		Gained: func(gained int) {
			c.enqueueAll(pipeline.Shard, func(namespace, name string) bool { return shards.Of(namespace, name) == gained })
		},
	})
	return shards, nil
}

// listen takes the address of metrics and probes.
func (c *instance) listen(replicas *shard.Shards) (*metrics.Server, error) {
	if replicas != nil {
		c.metrics.Leases(replicas.Leases)
	}
	server, err := metrics.Listen(metrics.Options{
		Addr: c.MetricsAddr, Metrics: c.metrics, Profiling: c.Profiling, Log: c.Log,
		Ready: func() error {
			s := c.state.Load()
			if s == nil {
				return errors.New("the loop has not started")
			}
			err := (*s).Ready()
			if replicas != nil {
				err = errors.Join(err, replicas.Ready())
			}
			return err
		},
	})
	if err == nil {
		c.Log.Info("Serving metrics and probes", "address", server.Addr())
	}
	return server, err
}
