// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// What suites of older releases ask for is left out or emulated, with one line each.
func TestAdapt(t *testing.T) {
	for _, c := range []struct{ name, program, args, want, says string }{
		{"as they are", "/x/kube-apiserver", "--secure-port=1 --feature-gates=ContextualLogging=true", "--secure-port=1 --feature-gates=ContextualLogging=true", ""},
		{"the same version", "/x/1.37.0-linux-amd64/kube-apiserver", "--v=1", "--v=1", ""},
		{"an older version", "/x/1.35.0-linux-amd64/kube-apiserver", "--v=1", "--emulated-version=1.35 --v=1", "Kubernetes v1.37.1 emulates 1.35"},
		{"too old", "/x/1.24.1-linux-amd64/kube-apiserver", "--v=1", "--v=1", "runs instead of 1.24"},
		{"newer", "/x/1.38.0-darwin-arm64/kube-apiserver", "--v=1", "--v=1", "runs instead of 1.38"},
		{"emulated by hand", "/x/1.35.0-linux-amd64/kube-apiserver", "--emulated-version=1.36", "--emulated-version=1.36", ""},
		{"a gate that is gone", "/x/kube-apiserver", "--feature-gates=Gone=false,ContextualLogging=true", "--feature-gates=ContextualLogging=true", "releases: Gone=false"},
		{"only gates that are gone", "/x/kube-apiserver", "--feature-gates Gone=false --v=1 --feature-gates=Away=true", "--v=1", "releases: Gone=false (unrecognized feature gate: Gone); Away=true"},
		{"a gate that is locked", "/x/kube-apiserver", "--feature-gates=kube:JobManagedBy=false", "", "releases: kube:JobManagedBy=false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var says strings.Builder
			got := adapt(options.NewServerRunOptions(), c.program, strings.Fields(c.args), &says)
			assert.Equal(t, c.want, strings.Join(got, " "))
			if c.says == "" {
				assert.Empty(t, says.String())
				return
			}
			assert.Contains(t, says.String(), c.says)
			assert.Equal(t, 1, strings.Count(says.String(), "\n"), "one line")
		})
	}
}

func TestQuickElection(t *testing.T) {
	with := withQuickElection([]string{"etcd", "--data-dir=x"})
	require.Len(t, with, 4)
	assert.Equal(t, []string{"--heartbeat-interval=20", "--election-timeout=100", "--data-dir=x"}, with[1:])
	for _, args := range [][]string{{"etcd"}, {"etcd", "gateway", "start"}, {"etcd", "-election-timeout", "50"}, {"etcd", "--config-file=x"}} {
		assert.Equal(t, args, withQuickElection(args))
	}
	t.Setenv("ETCD_ELECTION_TIMEOUT", "1000")
	assert.Len(t, withQuickElection([]string{"etcd", "--data-dir=x"}), 2)
}
