// SPDX-License-Identifier: Apache-2.0

// Package controlplane runs a Kubernetes control plane inside this process: the real kube-apiserver,
// an embedded etcd, and the core controllers that a custom controller expects to find (garbage collection,
// namespaces, service accounts, the workload controllers). It also installs CustomResourceDefinitions.
//
// It is not a cluster. There is no node, no scheduler, no kubelet and no network: a stand-in marks pods as
// running or succeeded (see Options.PendingPods), and nothing in them runs. It is not for production either:
// one member of etcd, credentials that may do everything, and a port of 127.0.0.1.
//
// The package prints nothing. What Kubernetes logs goes through klog, and klog belongs to the caller.
package controlplane

import (
	"context"
	"sync"

	etcdversion "go.etcd.io/etcd/api/v3/version"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane/record"
	_ "github.com/crdctl/crdctl/internal/startup/quietetcd"       // else the API server's etcd clients write to stderr
	_ "github.com/crdctl/crdctl/internal/startup/register/legacy" // every command starts sooner
)

// KubernetesVersion is what the API server answers at /version. A test holds it equal to the requirement on
// k8s.io/kubernetes in go.mod.
const KubernetesVersion = "v1.37.1"

// EtcdVersion returns the version of the etcd that is linked in.
func EtcdVersion() string { return "v" + etcdversion.Version }

// Options says how to start. The zero value is a temporary control plane on a free port.
type Options struct {
	// Dir is the state directory, created 0700. It keeps the data, the credentials, the port, and a kubeconfig with
	// that name. Empty means a temporary one that Stop removes.
	Dir string
	// Kubeconfig is a file that gets the credential too, 0600, until Stop removes it. Empty means none.
	Kubeconfig string
	// Port is the port of 127.0.0.1 to listen on; 0 means the one that Dir keeps, or any free one.
	Port int
	// Fsync makes etcd survive a power cut, and not only the end of this process.
	Fsync bool
	// PendingPods leaves pods as the API server created them. Otherwise they become Running and Ready, or
	// Succeeded when their restart policy is not Always, so that Deployments and Jobs make progress.
	PendingPods bool
	// Record has all requests recorded, until Stop has ended. Nil installs nothing.
	Record *record.Options
}

// ControlPlane is a running control plane.
type ControlPlane struct {
	options     Options
	space       *workspace
	store       *store
	listener    *listener
	server      *apiServer
	controllers *controllers
	config      *rest.Config
	kubeconfig  string
	// controllerToken is the credential for the project's controller.
	controllerToken string

	stopOnce sync.Once
	stopped  chan struct{} // closed when the teardown is over
	stopErr  error         // what the teardown met; read it once stopped is closed
}

// RESTConfig returns the configuration of a client that may do everything, without a client-side rate limit.
func (c *ControlPlane) RESTConfig() *rest.Config { return rest.CopyConfig(c.config) }

// ControllerToken is the credential of ControllerUser, who may do everything, as the user of RESTConfig.
func (c *ControlPlane) ControllerToken() string { return c.controllerToken }

// URL is the address of the API server, https://127.0.0.1:PORT.
func (c *ControlPlane) URL() string { return c.config.Host }

// Kubeconfig is the path of the kubeconfig that Start wrote.
func (c *ControlPlane) Kubeconfig() string { return c.kubeconfig }

// Done is closed when the API server has stopped.
func (c *ControlPlane) Done() <-chan struct{} { return c.server.done }

// Err says why the API server stopped: nil while it runs and after an ordinary Stop.
func (c *ControlPlane) Err() error {
	select {
	case <-c.server.done:
		return c.server.err
	default:
		return nil
	}
}

// Stop stops the controllers, the API server and etcd, in that order, and removes what is temporary. It may
// be called again, and from several goroutines. When ctx ends first, Stop says so and returns; the rest of
// the work goes on, and another Stop waits for it.
func (c *ControlPlane) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() {
		go func() {
			defer close(c.stopped)
			c.stopErr = c.teardown()
		}()
	})
	select {
	case <-c.stopped:
		return c.stopErr
	case <-ctx.Done():
		return stillStopping(ctx)
	}
}
