// SPDX-License-Identifier: Apache-2.0

package target

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/client-go/rest"
)

// Outside of pods, and in pods without a service account, what is wrong is reported, and there is no default.
func TestInCluster(t *testing.T) {
	for want, err := range map[string]error{
		"--in-cluster: not in a pod: ":                                              rest.ErrNotInCluster,
		"--in-cluster: read the pod's service account: no such token; give the pod": errors.New("no such token"),
	} {
		config, err := inCluster(func() (*rest.Config, error) { return &rest.Config{}, err })
		if config != nil || err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, %v, want %s", config, err, want)
		}
	}
	if config, err := inCluster(func() (*rest.Config, error) { return &rest.Config{Host: "x"}, nil }); err != nil || config.Host != "x" {
		t.Errorf("%v, %v", config, err)
	}
}

// The namespace of leases is that of the context that is used, and of the pod where there is one.
func TestNamespaceOfCluster(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(`apiVersion: v1
kind: Config
current-context: a
contexts:
- {name: a, context: {cluster: c}}
- {name: b, context: {cluster: c, namespace: team}}
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]Cluster{
		"default": {Kubeconfig: file}, "team": {Kubeconfig: file, Context: "b"},
	} {
		if got, err := c.Namespace(); err != nil || got != want {
			t.Errorf("%+v: %s, %v, want %s", c, got, err, want)
		}
	}
	for want, c := range map[string]Cluster{
		"missing: no such file or directory; correct --kubeconfig":    {Kubeconfig: file + "missing"},
		"context \"nope\" does not exist; use one of a, b":            {Kubeconfig: file, Context: "nope"},
		"there are no contexts, set --kubeconfig to a file with some": {Kubeconfig: os.DevNull, Context: "nope"},
	} {
		_, _, _, err := c.load()
		assert.ErrorContains(t, err, want)
	}
	if _, err := (Cluster{Kubeconfig: file + "missing"}).Namespace(); err == nil || !strings.HasSuffix(err.Error(), "name it with --lease-namespace") {
		t.Error(err)
	}
	// A kubeconfig that lies about is not the pod's.
	t.Setenv("KUBECONFIG", file)
	got, err := (Cluster{InCluster: true}).Namespace()
	assert.Error(t, err, "in no pod: %s", got)
}
