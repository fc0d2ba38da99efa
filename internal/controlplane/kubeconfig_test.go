// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

func TestParseKubeconfig(t *testing.T) {
	content, err := os.ReadFile("testdata/kubeconfigs.yaml")
	require.NoError(t, err)
	var cases struct {
		Own               string
		Accepted, Refused [][2]string
	}
	require.NoError(t, yaml.UnmarshalStrict(content, &cases))
	k, err := ParseKubeconfig([]byte(cases.Own))
	require.NoError(t, err)
	assert.Equal(t, &Kubeconfig{Server: "https://127.0.0.1:45998", CA: []byte("ca"), Token: "secret", Namespace: "default"}, k)
	for _, change := range cases.Accepted {
		_, err := ParseKubeconfig([]byte(strings.Replace(cases.Own, change[0], change[1], 1)))
		assert.NoError(t, err, change[1])
	}
	for _, change := range cases.Refused {
		require.Contains(t, cases.Own, change[0])
		_, err := ParseKubeconfig([]byte(strings.Replace(cases.Own, change[0], change[1], 1)))
		assert.Error(t, err, change[1])
	}
}
