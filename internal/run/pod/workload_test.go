// SPDX-License-Identifier: Apache-2.0

package pod

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/crd/manifest"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// A directory with a usual name says nothing about its program; its module does.
func TestProgramName(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module example.com/shop/v2\n", "operator/go.mod": "module example.com/shop/operator\n"})
	for dir, want := range map[string]string{".": "shop", "cmd": "shop", "cmd/shop-controller": "shop-controller", "cmd/main": "shop", "operator/cmd": "operator"} {
		assert.Equal(t, want, ProgramName(root, dir), dir)
	}
}

// Of several workloads with the label of kubebuilder, the one that runs the program is the controller's.
func TestTakeManager(t *testing.T) {
	const workload = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: NAME}\nspec: {template: {metadata: {labels: {control-plane: NAME}}, spec: {containers: [{name: NAME}]}}}\n"
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"all.yaml": strings.ReplaceAll(workload, "NAME", "manager") + strings.ReplaceAll(workload, "NAME", "webhook-server")})
	objects, err := manifest.Objects(root, "all.yaml")
	require.NoError(t, err)
	for program, want := range map[string]string{"manager": "manager", "webhook-server": "webhook-server", "shop": "manager"} {
		_, manager := TakeManager(objects, program)
		require.NotNil(t, manager)
		assert.Equal(t, want, manager.GetName(), program)
	}
}
