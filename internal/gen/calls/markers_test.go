// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/config"
)

// Until v0.6.2 webhooks need not name the versions of their reviews; a marker in the wrong place is one for every version.
func TestMistakesByVersion(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/shop\n\ngo 1.26\n"), 0o600))
	const src = "package hooks\n\n// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,groups=a,resources=b,verbs=create,versions=v1,name=a\n\n" +
		"// +kubebuilder:rbac:groups=a,resources=b,verbs=get\nfunc Hook() {}\n"
	require.NoError(t, os.WriteFile(filepath.Join(root, "hooks.go"), []byte(src), 0o600))
	for version, want := range map[string]int{"v0.6.2": 1, "v0.7.0": 2} {
		found, err := mistakes(root, config.ControllerGen{Version: version, Calls: []config.ControllerGenCall{{Paths: []string{"./..."}, Webhook: &config.WebhookGenerator{}}}})
		require.NoError(t, err)
		assert.Len(t, found[0], want, "%s: %q", version, found[0])
	}
}
