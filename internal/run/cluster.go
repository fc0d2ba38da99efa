package run

import (
	"cmp"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Cluster names a cluster that exists, as kubectl's flags do.
type Cluster struct {
	Kubeconfig, Context, Master string
}

func (c Cluster) isSet() bool { return c != Cluster{} }

// load returns the client configuration of the cluster, a kubeconfig with that cluster alone, and where it is from.
func (c Cluster) load() (config *rest.Config, kubeconfig []byte, source string, err error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: c.Context}
	overrides.ClusterInfo.Server = c.Master
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	if config, err = loader.ClientConfig(); err != nil {
		return nil, nil, "", fmt.Errorf("load the kubeconfig: %w", err)
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
		return nil, nil, "", fmt.Errorf("take context %s out of the kubeconfig: %w", name, err)
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
