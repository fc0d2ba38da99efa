package controlplane

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/controlplane/sockettest"
)

func TestAnonymousIsRefused(t *testing.T) {
	c, _ := sharedPlane(t)
	for name, config := range map[string]*rest.Config{
		"no credential":    rest.AnonymousClientConfig(c.RESTConfig()),
		"wrong credential": withToken(c.RESTConfig(), strings.Repeat("0", 64)),
	} {
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/api", "/readyz", "/version", "/api/v1/secrets", "/openapi/v2", "/metrics", "/healthz", "/livez", "/debug/pprof", rbacaudit.Path} {
			response, err := client.Get(c.URL() + path)
			if err != nil {
				t.Fatal(err)
			}
			closeIt(t, response.Body)
			if response.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s: GET %s: status %d, want 401", name, path, response.StatusCode)
			}
		}
	}
}

// TestServiceAccountIsRefused has the token of an account without a role try what only the administrator may.
func TestServiceAccountIsRefused(t *testing.T) {
	c, client := sharedPlane(t)
	token, err := client.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	other, err := rest.HTTPClientFor(withToken(c.RESTConfig(), token.Status.Token))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/api/v1/secrets", "/metrics", rbacaudit.Path + "?user=" + adminUser} {
		response, err := other.Get(c.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		closeIt(t, response.Body)
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("GET %s: status %d, want 403", path, response.StatusCode)
		}
	}
}

// TestSecretsAreOfOneControlPlane holds that no two control planes share a credential, and that one keeps its own.
func TestSecretsAreOfOneControlPlane(t *testing.T) {
	dir := t.TempDir()
	first, err1 := loadSecrets(filepath.Join(dir, "a"))
	again, err2 := loadSecrets(filepath.Join(dir, "a"))
	other, err3 := loadSecrets(filepath.Join(dir, "b"))
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	if first.token != again.token || !bytes.Equal(first.ca, again.ca) {
		t.Error("the secrets of a folder are others the second time")
	}
	if first.token == other.token || bytes.Equal(first.ca, other.ca) || len(first.token) != 64 {
		t.Errorf("two control planes have the tokens %s and %s", first.token, other.token)
	}
	if err := os.Remove(first.caFile); err != nil { // as a kill in the middle of the first start leaves them
		t.Fatal(err)
	}
	if mended, err := loadSecrets(filepath.Join(dir, "a")); err != nil || mended.token == first.token {
		t.Errorf("secrets of which one is missing are taken (%v)", err)
	}
}

// TestClockThatJumps connects as a client does whose clock is years away from that of the certificate's making.
func TestClockThatJumps(t *testing.T) {
	c, _ := sharedPlane(t)
	for _, years := range []int{-9, 9} {
		config, err := rest.TLSConfigFor(c.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		config.Time = func() time.Time { return time.Now().AddDate(years, 0, 0) }
		conn, err := tls.Dial("tcp", strings.TrimPrefix(c.URL(), "https://"), config)
		if err != nil {
			t.Errorf("%d years away: %v", years, err)
			continue
		}
		closeIt(t, conn)
	}
}

func withToken(c *rest.Config, token string) *rest.Config {
	c.BearerToken = token
	return c
}

// TestListeners holds the whole process to one port, of 127.0.0.1, and to sockets that no other user can reach.
func TestListeners(t *testing.T) {
	c, _ := sharedPlane(t)
	sockettest.OnlyAt(t, os.Getpid(), c.URL())
}

func TestModes(t *testing.T) {
	c, _ := sharedPlane(t)
	err := filepath.WalkDir(c.space.private.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: mode %v, want %v", path, got, want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := openWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	}()
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a state directory that was there: mode %v (error %v), want 0700", info.Mode().Perm(), err)
	}
}
