// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane/record"
)

// What the clients of this process are called, at the end of their user agents. Those of controllers that are not here have the names of
// kube-controller-manager.
const (
	informersAgent = "controllers" // the informers that all controllers share
	collectorAgent = "garbage-collector"
	namespaceAgent = "namespace-controller"
	podsAgent      = "pod-simulator"
	defaultsAgent  = record.Bootstrap
)

// clients makes clients of the API server's own user that differ by their user agents. The first error is kept; a client that could not be made
// must not be used.
type clients struct {
	loopback *rest.Config
	err      error
}

func (c *clients) of(agent string) kubernetes.Interface {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(c.loopback), agent))
	c.failed(agent, err)
	return client
}

func (c *clients) metadataOf(agent string) metadata.Interface {
	client, err := metadata.NewForConfig(rest.AddUserAgent(rest.CopyConfig(c.loopback), agent))
	c.failed(agent, err)
	return client
}

func (c *clients) failed(agent string, err error) {
	if err != nil {
		c.err = errors.Join(c.err, fmt.Errorf("make the client of %s: %w", agent, err))
	}
}
