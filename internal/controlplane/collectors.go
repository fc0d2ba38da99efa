// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// collectorsHook is what starts the collectors in a Quick server.
const collectorsHook = "crdctl/collectors"

// WithCollectors has a Quick server collect garbage and empty deleted namespaces, as kube-controller-manager does in a cluster.
func WithCollectors(config *app.Config) error {
	return config.KubeAPIs.ControlPlane.Generic.AddPostStartHook(collectorsHook, func(hook genericapiserver.PostStartHookContext) error {
		clients := clients{loopback: hook.LoopbackClientConfig}
		c := &controllers{
			typed:    informers.NewSharedInformerFactory(clients.of(informersAgent), 0),
			metadata: metadatainformer.NewSharedInformerFactory(clients.metadataOf(informersAgent), 0),
		}
		runs, err := c.buildCollectors(hook, &clients)
		if err = errors.Join(err, clients.err); err != nil {
			return fmt.Errorf("make the controllers: %w", err)
		}
		c.typed.Start(hook.Done())
		c.metadata.Start(hook.Done())
		for _, run := range runs {
			go run()
		}
		return nil
	})
}
