// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Kubeconfig is all that the kubeconfig of a control plane of crdctl's has. A kubeconfig can have much more, such as programs that
// are run for a credential, and servers anywhere; one that is found in a project is taken only if it has no more than this.
type Kubeconfig struct {
	Server    string // https://127.0.0.1:PORT
	CA        []byte // PEM
	Token     string
	Namespace string // the only one that kubectl is meant to change
}

const (
	// kubeconfigEntry is the name of the cluster, the user and the context.
	kubeconfigEntry = "crdctl"
	kubeconfigLimit = 1 << 20
)

var errForeignKubeconfig = errors.New("is not a kubeconfig that crdctl wrote")

// Encode returns the file.
func (k *Kubeconfig) Encode() ([]byte, error) {
	c := clientcmdapi.NewConfig()
	c.Clusters[kubeconfigEntry] = &clientcmdapi.Cluster{Server: k.Server, CertificateAuthorityData: k.CA}
	c.AuthInfos[kubeconfigEntry] = &clientcmdapi.AuthInfo{Token: k.Token}
	c.Contexts[kubeconfigEntry] = &clientcmdapi.Context{Cluster: kubeconfigEntry, AuthInfo: kubeconfigEntry, Namespace: k.Namespace}
	c.CurrentContext = kubeconfigEntry
	return clientcmd.Write(*c)
}

// ReadKubeconfig reads the file name in dir, once.
func ReadKubeconfig(dir *safefs.Dir, name string) (*Kubeconfig, error) {
	content, err := dir.Read(name, kubeconfigLimit)
	if err != nil {
		return nil, err
	}
	k, err := ParseKubeconfig(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it, and start the control plane again", dir.Join(name), err)
	}
	return k, nil
}

// ParseKubeconfig accepts what Encode makes for an address of this machine, and nothing else.
func ParseKubeconfig(content []byte) (*Kubeconfig, error) {
	got, err := clientcmd.Load(content)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errForeignKubeconfig, err)
	}
	cluster, user, context := got.Clusters[kubeconfigEntry], got.AuthInfos[kubeconfigEntry], got.Contexts[kubeconfigEntry]
	if cluster == nil || user == nil || context == nil {
		return nil, fmt.Errorf("%w: it has no cluster, user and context %s", errForeignKubeconfig, kubeconfigEntry)
	}
	k := &Kubeconfig{Server: cluster.Server, CA: cluster.CertificateAuthorityData, Token: user.Token, Namespace: context.Namespace}
	if len(k.CA) == 0 || k.Token == "" {
		return nil, fmt.Errorf("%w: it has no certificate authority or no token", errForeignKubeconfig)
	}
	if !isLocal(k.Server) {
		return nil, fmt.Errorf("%w: its server %q is not an HTTPS port of this machine", errForeignKubeconfig, k.Server)
	}
	own, err := k.Encode()
	if err != nil {
		return nil, err
	}
	want, err := clientcmd.Load(own)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("%w: it has more than one server on this machine, its certificate authority and a token", errForeignKubeconfig)
	}
	return k, nil
}

// isLocal accepts https://HOST:PORT of a loopback address.
func isLocal(server string) bool {
	u, err := url.Parse(server)
	if err != nil || u.Port() == "" || server != "https://"+u.Host {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
