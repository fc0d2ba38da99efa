// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/controlplane/rbacaudit"
	"github.com/crdctl/crdctl/internal/controlplane/sockettest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// Nothing is served without a credential, and the account without a role may not do what only the administrator may.
func TestOthersAreRefused(t *testing.T) {
	c, client := sharedPlane(t)
	token, err := client.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), "default", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	all := []string{"/api", "/readyz", "/version", "/api/v1/secrets", "/openapi/v2", "/metrics", "/healthz", "/livez", "/debug/pprof", rbacaudit.Path}
	for name, test := range map[string]struct {
		config *rest.Config
		want   int
		paths  []string
	}{
		"no credential":    {rest.AnonymousClientConfig(c.RESTConfig()), http.StatusUnauthorized, all},
		"wrong credential": {withToken(c.RESTConfig(), strings.Repeat("0", 64)), http.StatusUnauthorized, all},
		"service account":  {withToken(c.RESTConfig(), token.Status.Token), http.StatusForbidden, []string{"/api/v1/secrets", "/metrics", rbacaudit.Path + "?user=" + AdminUser}},
	} {
		client, err := rest.HTTPClientFor(test.config)
		require.NoError(t, err)
		for _, path := range test.paths {
			response, err := client.Get(c.URL() + path)
			require.NoError(t, err)
			closeIt(t, response.Body)
			assert.Equal(t, test.want, response.StatusCode, "%s: GET %s", name, path)
		}
	}
}

// The metrics that initializers registered are served, although package register delayed them.
func TestMetrics(t *testing.T) {
	_, client := sharedPlane(t)
	all, err := client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	require.NoError(t, err)
	assert.Contains(t, string(all), "\napiserver_audit_event_total 0\n")
	assert.Contains(t, string(all), "\nprocess_start_time_seconds ")
	mine, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, m := range mine {
		names[m.GetName()] = true
	}
	assert.True(t, names["etcd_mvcc_put_total"], "%v", names)
}

// TestSecretsAreOfOneControlPlane holds that no two control planes share a credential, and that one keeps its own.
func TestSecretsAreOfOneControlPlane(t *testing.T) {
	dir := t.TempDir()
	first, err1 := loadSecrets(filepath.Join(dir, "a"))
	again, err2 := loadSecrets(filepath.Join(dir, "a"))
	other, err3 := loadSecrets(filepath.Join(dir, "b"))
	require.NoError(t, errors.Join(err1, err2, err3))
	assert.Equal(t, again, first)
	assert.Len(t, first.token, 64)
	assert.NotEqual(t, other.token, first.token)
	assert.NotEqual(t, other.ca, first.ca)
	// as a kill in the middle of the first start leaves them
	require.NoError(t, os.Remove(first.caFile))
	renewed, err := loadSecrets(filepath.Join(dir, "a"))
	require.NoError(t, err)
	assert.NotEqual(t, first.token, renewed.token, "secrets of which one is missing are taken")
}

// TestClockThatJumps connects as a client does whose clock is years away from that of the certificate's making.
func TestClockThatJumps(t *testing.T) {
	c, _ := sharedPlane(t)
	for _, years := range []int{-9, 9} {
		config, err := rest.TLSConfigFor(c.RESTConfig())
		require.NoError(t, err)
		config.Time = func() time.Time { return time.Now().AddDate(years, 0, 0) }
		conn, err := tls.Dial("tcp", strings.TrimPrefix(c.URL(), "https://"), config)
		require.NoError(t, err, "%d years away", years)
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
		assert.Equal(t, want, info.Mode().Perm(), "%s: mode", path)
		return nil
	})
	assert.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	w, err := openWorkspace(dir)
	require.NoError(t, err)
	defer func() { assert.NoError(t, w.close()) }()
	safefstest.IsPrivate(t, dir)
}
