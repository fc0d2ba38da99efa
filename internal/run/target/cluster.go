// SPDX-License-Identifier: Apache-2.0

package target

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Cluster names a cluster that exists, as kubectl's flags do.
type Cluster struct {
	Kubeconfig, Context, Master string
	// InCluster is the cluster of the pod that this process runs in. It is never guessed: a kubeconfig that was forgotten must
	// not turn a trial in some pod into one on that pod's cluster.
	InCluster bool
}

// IsSet reports whether a cluster is named.
func (c Cluster) IsSet() bool { return c != Cluster{} }

// inCluster is the configuration of the pod's service account.
func inCluster(load func() (*rest.Config, error)) (*rest.Config, error) {
	config, err := load()
	switch {
	case errors.Is(err, rest.ErrNotInCluster):
		return nil, errors.New("--in-cluster: not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set; name a cluster with --kubeconfig, --context or --master")
	case err != nil:
		return nil, fmt.Errorf("--in-cluster: read the pod's service account: %w; give the pod one, with automountServiceAccountToken: true", err)
	}
	return config, nil
}

// Namespace is that of the pod, or of the kubeconfig's context: where a controller's own things are, such as its leases.
func (c Cluster) Namespace() (string, error) {
	namespace, _, err := c.loader().Namespace()
	if err != nil {
		return "", fmt.Errorf("find the namespace of the leases: %w; name it with --lease-namespace", err)
	}
	return namespace, nil
}

// loader reads the kubeconfig that is meant, and in a pod none: what is asked for there is the pod's own cluster.
func (c Cluster) loader() clientcmd.ClientConfig {
	if c.InCluster {
		return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(&clientcmd.ClientConfigLoadingRules{}, &clientcmd.ConfigOverrides{})
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: c.Context}
	overrides.ClusterInfo.Server = c.Master
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
}

// hint is what to do about a kubeconfig that does not load.
func (c Cluster) hint(loader clientcmd.ClientConfig, err error) string {
	raw, rawErr := loader.RawConfig()
	switch {
	case c.Kubeconfig != "" && errors.Is(err, fs.ErrNotExist):
		return "; correct --kubeconfig"
	case c.Context == "" || rawErr != nil || raw.Contexts[c.Context] != nil:
		return ""
	case len(raw.Contexts) == 0:
		return "; there are no contexts, set --kubeconfig to a file with some"
	}
	return "; use one of " + strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", ")
}

// load returns the client configuration of the cluster, a kubeconfig with that cluster alone, and where it is from.
func (c Cluster) load() (config *rest.Config, kubeconfig []byte, source string, err error) {
	if c.InCluster {
		config, err = inCluster(rest.InClusterConfig)
		return config, nil, "the service account of this pod", err
	}
	loader := c.loader()
	if config, err = loader.ClientConfig(); err != nil {
		return nil, nil, "", fmt.Errorf("load the kubeconfig: %w%s", err, c.hint(loader, err))
	}
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, nil, "", fmt.Errorf("load the kubeconfig: %w", err)
	}
	name := cmp.Or(c.Context, raw.CurrentContext)
	raw.CurrentContext = name
	switch {
	case name == "":
		source = "--master"
	case c.Kubeconfig != "":
		source = fmt.Sprintf("context %s of %s", name, c.Kubeconfig)
	default:
		source = fmt.Sprintf("context %s of the default kubeconfig", name)
	}
	if name == "" { // --master without any kubeconfig
		raw.CurrentContext = "master"
		raw.Contexts = map[string]*clientcmdapi.Context{"master": {Cluster: "master"}}
		raw.Clusters = map[string]*clientcmdapi.Cluster{"master": {}}
	}
	if err := clientcmdapi.MinifyConfig(&raw); err != nil {
		return nil, nil, "", fmt.Errorf("read context %s of the kubeconfig: %w", name, err)
	}
	if c.Master != "" {
		for _, cluster := range raw.Clusters {
			cluster.Server = c.Master
		}
	}
	if err := clientcmdapi.FlattenConfig(&raw); err != nil {
		return nil, nil, "", fmt.Errorf("read the files that the kubeconfig names: %w", err)
	}
	kubeconfig, err = clientcmd.Write(raw)
	return config, kubeconfig, source, err
}
