// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/safefs/safefstest"
)

// The API packages of a module below are loaded from the root if its module requires that one, but not where the root has copies of
// them in vendor: what is generated would go there.
func TestLoadDir(t *testing.T) {
	root := t.TempDir()
	put := func(file, content string) {
		full := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o644))
	}
	put("go.mod", "module example.com/m\n\nrequire example.com/m/client v0.0.0\n\nreplace example.com/m/client => ./client\n")
	put("client/go.mod", "module example.com/m/client\n")
	put("client/apis/a/v1/types.go", "package v1\n")
	assert.Equal(t, root, loadDir(root, []string{"client/apis"}))
	put("vendor/modules.txt", "# example.com/m/client v0.0.0 => ./client\n")
	assert.Equal(t, filepath.Join(root, "client"), loadDir(root, []string{"client/apis"}))
}

// A client tree of packages of other modules belongs to the module that it is in.
func TestSplitWithPackages(t *testing.T) {
	root := t.TempDir()
	safefstest.WriteFiles(t, root, map[string]string{"go.mod": "module example.com/m\n", "operator/go.mod": "module operator\n"})
	apis := []string{"operator/apis", "apis"}
	parts := split(root, &config.Project{APIs: apis, Clients: []config.Client{
		{Dir: "operator/client", APIs: apis[:1]},
		{Dir: "client/kube", APIs: apis, Packages: []string{"k8s.io/api/networking/v1"}},
	}})
	require.Len(t, parts, 2)
	assert.Equal(t, "operator/client", parts[0].Clients[0].Dir)
	assert.Equal(t, []config.Client{{Dir: "client/kube", APIs: apis[1:], Packages: []string{"k8s.io/api/networking/v1"}}}, parts[1].Clients)
}
