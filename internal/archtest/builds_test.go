// SPDX-License-Identifier: Apache-2.0

package archtest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The small builds stay small: what makes the full one large is in none of their packages.
func TestSmallBuilds(t *testing.T) {
	for tag, never := range map[string]string{
		"crdctl_codegen": `^(k8s\.io/(kubernetes|kubectl|kube-aggregator|client-go/(informers|listers|kubernetes))|go\.etcd\.io|helm\.sh|.*/internal/(run|kubectl|controlplane)$)`,
		"crdctl_loop": `^(k8s\.io/(kubernetes|kubectl|kube-aggregator|apiserver|code-generator|gengo|client-go/(informers|listers|kubernetes$))|go\.etcd\.io|helm\.sh|sigs\.k8s\.io/(controller-tools|kustomize)` +
			`|golang\.org/x/tools|github\.com/google/cel-go|google\.golang\.org/grpc|.*/internal/(gen|detect|scaffold|run|controlplane)$)`,
	} {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", tag, ".")
			cmd.Dir = root
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			require.NoError(t, err)
			packages := strings.Fields(string(out))
			require.Contains(t, packages, modulePath+"/cmd")
			large := regexp.MustCompile(never)
			for _, p := range packages {
				assert.False(t, large.MatchString(p), "%s is in the build of the tag %s", p, tag)
			}
		})
	}
}
