// SPDX-License-Identifier: Apache-2.0

// Package faultproxy is a reverse proxy between a client and an API server that makes the faults that a real one cannot be
// asked for. It does not decide when: the stories and the soak do.
package faultproxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	certutil "k8s.io/client-go/util/cert"
)

// Proxy forwards requests, with the credentials of its own configuration, and answers those that match a fault itself.
type Proxy struct {
	forward *httputil.ReverseProxy
	tls     *tls.Config // nil: HTTP/1.1 without TLS

	mu      sync.Mutex
	address string
	server  *http.Server
	served  chan struct{}
	faults  []*Fault
	watches map[*watch]bool
}

// New starts a proxy and writes a kubeconfig that leads to it. With TLS, clients speak HTTP/2 as with an API server.
func New(config *rest.Config, kubeconfig string, withTLS bool) (*Proxy, error) {
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	p := &Proxy{address: "127.0.0.1:0", watches: map[*watch]bool{}}
	p.forward = &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, ModifyResponse: p.follow,
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ErrorLog:     slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // faults are what it is for
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	cluster, scheme := &clientcmdapi.Cluster{}, "http"
	if withTLS {
		cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
		if err != nil {
			return nil, err
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		p.tls = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		cluster.CertificateAuthorityData, scheme = cert, "https"
	}
	if err := p.Open(); err != nil {
		return nil, err
	}
	cluster.Server = scheme + "://" + p.address
	return p, clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{"proxy": cluster}, CurrentContext: "proxy",
		Contexts: map[string]*clientcmdapi.Context{"proxy": {Cluster: "proxy"}},
	}, kubeconfig)
}

// Open accepts connections, at the same address each time.
func (p *Proxy) Open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return fmt.Errorf("listen for clients: %w", err)
	}
	server, served := &http.Server{Handler: p, TLSConfig: p.tls, ErrorLog: p.forward.ErrorLog}, make(chan struct{})
	p.address, p.server, p.served = listener.Addr().String(), server, served
	go func() {
		defer close(served)
		if p.tls == nil {
			_ = server.Serve(listener) // it ends when the proxy is closed, and returns that as an error
			return
		}
		_ = server.ServeTLS(listener, "", "") // the same
	}()
	return nil
}

// Close breaks all connections and refuses new ones until Open.
func (p *Proxy) Close() error {
	p.mu.Lock()
	server, served := p.server, p.served
	p.mu.Unlock()
	err := server.Close()
	<-served
	return err
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if answer := p.faultOf(r); answer != nil {
		answer(w, r)
		return
	}
	p.Forward(w, r)
}

// Forward lets a request through.
func (p *Proxy) Forward(w http.ResponseWriter, r *http.Request) { p.forward.ServeHTTP(w, r) }

// Lose forwards a request and breaks the connection instead of returning the answer.
func (p *Proxy) Lose(_ http.ResponseWriter, r *http.Request) {
	p.forward.ServeHTTP(httptest.NewRecorder(), r.WithContext(context.WithoutCancel(r.Context())))
	panic(http.ErrAbortHandler)
}
