package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	certutil "k8s.io/client-go/util/cert"
)

// proxy is between a replica and the API server, and lets through what it was not told to spoil. Who asks has to have a
// credential for the API server: the proxy has none of its own.
type proxy struct {
	handler *httputil.ReverseProxy
	cert    tls.Certificate
	address string

	mu      sync.Mutex
	server  *http.Server // nil while connections are refused
	served  chan struct{}
	spoil   spoil
	watches map[int]context.CancelFunc
	next    int
	busy    sync.Mutex // held while something is spoilt
}

// newProxy listens, and writes a kubeconfig that leads to it.
func newProxy(kubeconfig, file string) (*proxy, error) {
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return nil, err
	}
	direct, err := clientcmd.NewDefaultClientConfig(*config, nil).ClientConfig()
	if err != nil {
		return nil, err
	}
	transport, err := rest.TransportFor(rest.AnonymousClientConfig(direct))
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(direct.Host)
	if err != nil {
		return nil, err
	}
	cert, key, err := certutil.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		return nil, err
	}
	p := &proxy{address: "127.0.0.1:0", watches: map[int]context.CancelFunc{}}
	if p.cert, err = tls.X509KeyPair(cert, key); err != nil {
		return nil, err
	}
	p.handler = &httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), // what it says of is what it was made for
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: p.modify,
		ErrorHandler:   func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }, // the connection breaks, as without a proxy
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	for _, cluster := range config.Clusters {
		cluster.Server, cluster.CertificateAuthorityData, cluster.CertificateAuthority = "https://"+p.address, cert, ""
	}
	return p, writeKubeconfig(config, file)
}

func writeKubeconfig(config *clientcmdapi.Config, file string) error {
	data, err := clientcmd.Write(*config)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// open has connections accepted, at the same address each time.
func (p *proxy) open() error {
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		return fmt.Errorf("listen for a replica: %w", err)
	}
	server := &http.Server{Handler: p, TLSConfig: &tls.Config{Certificates: []tls.Certificate{p.cert}, MinVersion: tls.VersionTLS12}, ErrorLog: p.handler.ErrorLog}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.address, p.server, p.served = listener.Addr().String(), server, make(chan struct{})
	served := p.served
	go func() {
		defer close(served)
		_ = server.ServeTLS(listener, "", "") // it ends when the proxy is closed, and says that
	}()
	return nil
}

// close breaks all connections, and has new ones refused.
func (p *proxy) close() error {
	p.mu.Lock()
	server, served := p.server, p.served
	p.mu.Unlock()
	err := server.Close()
	<-served
	return err
}

// cutWatches breaks all watches off, and tells how many there were.
func (p *proxy) cutWatches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, cancel := range p.watches {
		cancel()
	}
	return len(p.watches)
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.spoils(w, r) {
		return
	}
	if isWatch(r) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer p.watching(cancel)()
		r = r.WithContext(ctx)
	}
	p.handler.ServeHTTP(w, r)
}

func (p *proxy) watching(cancel context.CancelFunc) (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next++
	n := p.next
	p.watches[n] = cancel
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watches, n)
	}
}

var errLost = errors.New("the answer is lost")
