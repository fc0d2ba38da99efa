// SPDX-License-Identifier: Apache-2.0

package run

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A kustomization that cannot be built is built again once the file that it lacks is there.
func TestMissingPartOfKustomization(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{
		"config/default/kustomization.yaml": "resources: [../manager]\n",
		"config/manager/kustomization.yaml": "secretGenerator: [{name: token, envs: [token.env]}]\n",
	})
	s := newSources(root)
	for range 2 {
		objects, err := s.read([]string{"config/default"})
		require.ErrorContains(t, err, "token.env: no such file or directory")
		require.NotContains(t, err.Error(), "crdctl.yaml", "that has no name of it")
		require.Empty(t, objects)
	}
	require.Contains(t, s.files(), "config/manager/token.env", "it is watched")
	safefstest.WriteFiles(t, root, map[string]string{"config/manager/token.env": "A=b\n"})
	objects, err := s.read([]string{"config/default"})
	require.NoError(t, err)
	require.Len(t, objects, 1)

	_, err = s.read([]string{"deploy"})
	require.ErrorContains(t, err, "deploy: no such file or directory; it is named in controller.manifests or controller.samples of crdctl.yaml")
}

// So is one that names a directory without a kustomization, and one that could not be read.
func TestBrokenPartOfKustomization(t *testing.T) {
	for name, broken := range map[string]string{"config/manager/manager.yaml": "", "config/manager/kustomization.yaml": strings.Repeat("#", safefs.MaxFile+1)} {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, map[string]string{"config/default/kustomization.yaml": "resources: [../manager]\n", name: broken})
		s := newSources(root)
		_, err := s.read([]string{"config/default"})
		require.ErrorContains(t, err, "unable to find one of 'kustomization.yaml'", name)
		require.Contains(t, s.files(), "config/manager/kustomization.yaml", "it is watched")
		safefstest.WriteFiles(t, root, map[string]string{"config/manager/kustomization.yaml": "configMapGenerator: [{name: token, literals: [a=b]}]\n"})
		objects, err := s.read([]string{"config/default"})
		require.NoError(t, err, name)
		require.Len(t, objects, 1, name)
	}
}
