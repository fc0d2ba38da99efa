package main

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// newTestProxy is a proxy before a server that says who asks, and never ends an answer to a watch.
func newTestProxy(t *testing.T) (*proxy, restclient.Interface) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Authorization")+"\n") // who asked may be gone
		if isWatch(r) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: server.URL, CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: "secret"}
	config.Contexts["x"], config.CurrentContext = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}, "x"
	direct, through := filepath.Join(t.TempDir(), "direct"), filepath.Join(t.TempDir(), "through")
	if err := writeKubeconfig(config, direct); err != nil {
		t.Fatal(err)
	}
	p, err := newProxy(direct, through)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() }) // it may be closed
	settings, err := clientcmd.BuildConfigFromFlags("", through)
	if err != nil {
		t.Fatal(err)
	}
	settings.QPS = -1
	clients, err := kubernetes.NewForConfig(settings)
	if err != nil {
		t.Fatal(err)
	}
	return p, clients.Discovery().RESTClient()
}

func ask(client restclient.Interface, verb string) (string, error) {
	data, err := client.Verb(verb).AbsPath("/x").MaxRetries(0).DoRaw(context.Background())
	return string(data), err
}

// What is spoilt is spoilt every second time, and all else goes through, with the credential of who asks.
func TestProxySpoils(t *testing.T) {
	p, client := newTestProxy(t)
	for spoil, is := range map[spoil]func(error) bool{
		"": nil, conflicts: apierrors.IsConflict, tooMany: apierrors.IsTooManyRequests, unavailable: apierrors.IsServiceUnavailable,
		lost: func(err error) bool { return errors.Is(err, io.EOF) || !errors.As(err, new(apierrors.APIStatus)) },
	} {
		p.set(spoil)
		spoilt := 0
		for range 100 {
			switch said, err := ask(client, http.MethodPatch); {
			case err == nil && said == "Bearer secret\n":
			case err == nil || is == nil || !is(err):
				t.Fatalf("%s: %q, %v", spoil, said, err)
			default:
				spoilt++
			}
		}
		if (spoil == "") != (spoilt == 0) || spoilt == 100 {
			t.Errorf("%q: %d of 100", spoil, spoilt)
		}
	}
	for _, spoil := range []spoil{conflicts, lost} {
		p.set(spoil)
		for range 20 {
			if said, err := ask(client, http.MethodGet); err != nil {
				t.Errorf("%s, a read: %q, %v", spoil, said, err)
			}
		}
	}
}

func TestProxyWatches(t *testing.T) {
	p, client := newTestProxy(t)
	watch := func() (io.ReadCloser, error) {
		return client.Get().AbsPath("/x").Param("watch", "true").MaxRetries(0).Stream(t.Context())
	}
	body, err := watch()
	if err != nil {
		t.Fatal(err)
	}
	if n := p.cutWatches(); n != 1 {
		t.Errorf("%d watches were cut", n)
	}
	if said, err := io.ReadAll(body); err == nil {
		t.Errorf("a watch that was cut ended well, after %q", said)
	}
	_ = body.Close() // it is broken
	p.set(expired)
	seen := false
	for range 100 {
		body, err := watch()
		if err == nil {
			err = body.Close()
		} else if seen = apierrors.IsResourceExpired(err); seen {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !seen {
		t.Error("no 410 in 100 watches")
	}
}

func TestProxyRefuses(t *testing.T) {
	p, client := newTestProxy(t)
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
	if said, err := ask(client, http.MethodGet); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%q, %v", said, err)
	}
	if err := p.open(); err != nil {
		t.Fatal(err)
	}
	if said, err := ask(client, http.MethodGet); err != nil {
		t.Errorf("%q, %v", said, err)
	}
}
