// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crdctl/crdctl/internal/controlplane"
	"github.com/crdctl/crdctl/internal/controlplane/record"
	"github.com/crdctl/crdctl/internal/run/target"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/ui"
)

// The users of a proxy, as they are recorded: who they are to the cluster is not known.
const (
	proxiedController = "controller"
	proxiedCrdctl     = "crdctl"
)

// proxyPatience bounds how long the proxy waits for requests that are under way.
const proxyPatience = 5 * time.Second

// proxied has the controller use a cluster by way of a proxy on 127.0.0.1, which records its requests.
func (r *recording) proxied(t *target.API, o Options, reporter ui.Reporter) (*target.API, error) {
	if r == nil {
		return t, nil
	}
	recorder := record.New(*r.options(o), proxiedCrdctl, proxiedController, "")
	as, token := proxiedController, rand.Text()
	if o.Builtin {
		as = proxiedCrdctl
	}
	r.hide(token, t.Config.BearerToken)
	handler, err := recorder.Proxy(t.Config, as, token)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	listener, ca, err := listenTLS()
	if err != nil {
		recorder.Close()
		return nil, errors.Join(fmt.Errorf("listen for the proxy that records: %w", err), t.Close())
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) }) // it ends when the server is closed
	url := "https://" + listener.Addr().String()
	through := *t
	through.Close = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), proxyPatience) // the controller has ended: what is left is its last requests
		defer cancel()
		_ = server.Shutdown(ctx) // Close ends what does not end in time
		err := server.Close()
		serving.Wait()
		recorder.Close()
		return errors.Join(err, t.Close())
	}
	reporter.Note("the controller uses the API by way of %s, which records its requests; what others do is seen only as far as the controller watches it", url)
	if o.Builtin {
		through.Config = &rest.Config{Host: url, TLSClientConfig: rest.TLSClientConfig{CAData: ca}, BearerToken: token, QPS: t.Config.QPS, Burst: t.Config.Burst, UserAgent: t.Config.UserAgent}
		return &through, nil
	}
	dir, err := tempdir.NewRun()
	if err != nil {
		return nil, errors.Join(err, through.Close())
	}
	stop := through.Close
	through.Close = func() error { return errors.Join(stop(), dir.Remove()) }
	through.Kubeconfig = filepath.Join(dir.Path, "kubeconfig")
	if err := writeProxied(through.Kubeconfig, t.Kubeconfig, token, &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: ca}); err != nil {
		return nil, errors.Join(err, through.Close())
	}
	return &through, nil
}

// listenTLS listens on a free port of 127.0.0.1, with a certificate of the authority that it returns: client-go sends no token from a kubeconfig to a
// server without TLS.
func listenTLS() (l net.Listener, ca []byte, err error) {
	made, err := controlplane.NewServingCertificate()
	if err != nil {
		return nil, nil, err
	}
	certificate, err := tls.X509KeyPair(made.Cert, made.Key)
	if err != nil {
		return nil, nil, err
	}
	// HTTP/2 has no upgrades, which exec and port-forward need.
	l, err = tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12})
	return l, made.CA, err
}

// writeProxied writes a kubeconfig of a proxy, with the namespace of that of the cluster.
func writeProxied(file, of, token string, cluster *clientcmdapi.Cluster) error {
	existing, err := clientcmd.LoadFromFile(of)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	config := clientcmdapi.NewConfig()
	config.CurrentContext = existing.CurrentContext
	proxy := &clientcmdapi.Context{Cluster: "proxy", AuthInfo: "controller"}
	if c := existing.Contexts[existing.CurrentContext]; c != nil {
		proxy.Namespace = c.Namespace
	}
	config.Contexts[config.CurrentContext] = proxy
	config.Clusters["proxy"] = cluster
	config.AuthInfos["controller"] = &clientcmdapi.AuthInfo{Token: token}
	content, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}
