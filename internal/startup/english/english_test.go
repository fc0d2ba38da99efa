// SPDX-License-Identifier: Apache-2.0

// An external test: inside the package, these imports would be its own and come first.
package english_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "k8s.io/kubectl/pkg/cmd/options" // translates in its initialiser
	"k8s.io/kubectl/pkg/util/i18n"

	_ "github.com/crdctl/crdctl/internal/startup/english"
)

const german = "LC_ALL=de_DE.UTF-8"

// TestNoTranslations runs itself where kubectl would speak German.
func TestNoTranslations(t *testing.T) {
	const text = "Display clusters defined in the kubeconfig"
	if os.Getenv("LC_ALL") == "de_DE.UTF-8" {
		assert.Equal(t, text, i18n.T(text), "translations were loaded")
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.Command(self, "-test.run=^TestNoTranslations$")
	child.Env = append(os.Environ(), german)
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
