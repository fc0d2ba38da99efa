// An external test: inside the package, these imports would be its own and come first.
package english_test

import (
	"os"
	"os/exec"
	"testing"

	_ "github.com/crdctl/crdctl/internal/startup/english"
	_ "k8s.io/kubectl/pkg/cmd/options" // translates in its initialiser
	"k8s.io/kubectl/pkg/util/i18n"
)

const german = "LC_ALL=de_DE.UTF-8"

// TestNoTranslations runs itself where kubectl would speak German.
func TestNoTranslations(t *testing.T) {
	const text = "Display clusters defined in the kubeconfig"
	if os.Getenv("LC_ALL") == "de_DE.UTF-8" {
		if got := i18n.T(text); got != text {
			t.Errorf("T(%q) = %q; translations were loaded", text, got)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self, "-test.run=^TestNoTranslations$")
	child.Env = append(os.Environ(), german)
	if out, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
