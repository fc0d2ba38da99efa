// SPDX-License-Identifier: Apache-2.0

// An external test: inside the package, these imports would be its own and come first.
package quietetcd_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "k8s.io/apiserver/pkg/storage/storagebackend/factory" // makes its logger in its initialiser

	_ "github.com/crdctl/crdctl/internal/startup/quietetcd"
)

// TestOrder looks at the order in which the runtime initialises a program with both packages.
func TestOrder(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.Command(self, "-test.run=^$")
	child.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	ours := strings.Index(string(out), "init github.com/crdctl/crdctl/internal/startup/quietetcd ")
	theirs := strings.Index(string(out), "init k8s.io/apiserver/pkg/storage/storagebackend/factory ")
	if ours < 0 || theirs < 0 || ours > theirs {
		t.Errorf("quietetcd is initialised at %d of the trace, the factory at %d; want both, in this order", ours, theirs)
	}
}
