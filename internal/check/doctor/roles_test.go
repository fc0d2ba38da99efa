// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// Markers are the role of a controller where a generator makes one of them. Where they are just comments, the role is in a chart.
func TestMarkersThatNothingReads(t *testing.T) {
	const role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: shop\nrules:\n- {apiGroups: [example.com], resources: [carts], verbs: [delete]}\n"
	files := map[string]string{
		"go.mod": "module example.com/shop\n", "shop.go": "package shop\n\n// +kubebuilder:rbac:groups=example.com,resources=carts,verbs=get\n", "chart/templates/role.yaml": role,
	}
	remove, read := permission{"example.com", "carts", "delete"}, permission{"example.com", "carts", "get"}
	for name, c := range map[string]struct {
		settings config.Project
		file     string
		want     bool
	}{
		"comments":              {want: true},
		"a call":                {settings: config.Project{ControllerGen: config.ControllerGen{Calls: []config.ControllerGenCall{{RBAC: &config.RBACGenerator{}}}}}},
		"a call of other kinds": {settings: config.Project{ControllerGen: config.ControllerGen{Calls: []config.ControllerGenCall{{}}}}, want: true},
		"a directory":           {settings: config.Project{RBAC: config.RBAC{Dir: "config/rbac"}}},
		"the file":              {file: "config/rbac/role.yaml"},
	} {
		root := t.TempDir()
		safefstest.WriteFiles(t, root, files)
		if c.file != "" {
			safefstest.WriteFiles(t, root, map[string]string{c.file: "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: manager-role\n"})
		}
		p, err := project.Open(root, &c.settings)
		require.NoError(t, err)
		s, err := Open(root, p)
		require.NoError(t, err)
		g := s.granted()
		assert.True(t, g.allow(read), name)
		assert.Equal(t, c.want, g.allow(remove), name)
	}

	// A call that finds no markers makes no role.
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{
		"go.mod": files["go.mod"], "shop.go": "package shop\n", "chart/templates/role.yaml": role,
		"config/rbac/leader_election_role.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: leases\nrules:\n- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: ['*']}\n",
	})
	p, err := project.Open(root, &config.Project{ControllerGen: config.ControllerGen{Calls: []config.ControllerGenCall{{RBAC: &config.RBACGenerator{}}}}})
	require.NoError(t, err)
	s, err := Open(root, p)
	require.NoError(t, err)
	assert.True(t, s.granted().allow(remove))
}
