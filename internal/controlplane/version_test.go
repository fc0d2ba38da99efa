// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersion(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	required := regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (\S+)`).FindSubmatch(mod)
	require.NotNil(t, required, "go.mod requires k8s.io/kubernetes")
	assert.Equal(t, KubernetesVersion, string(required[1]), "go.mod requires k8s.io/kubernetes")
	_, client := sharedPlane(t)
	v, err := client.Discovery().ServerVersion()
	require.NoError(t, err)
	assert.Equal(t, KubernetesVersion, v.GitVersion, "/version")
}
