// SPDX-License-Identifier: Apache-2.0

package markerlint

import (
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func moduleDir(t testing.TB, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// Every tag that upstream's sources name is in our lists: an unknown one would be called a mistake.
func TestListsHaveUpstreamsTags(t *testing.T) {
	var named, client []string
	tag := regexp.MustCompile(`["` + "`" + `](k8s:[A-Za-z0-9:-]*[A-Za-z0-9]|genclient(?::[A-Za-z]+)?)["` + "`" + `]`)
	generator := moduleDir(t, "k8s.io/code-generator")
	for _, top := range []string{generator + "/cmd", generator + "/pkg", moduleDir(t, "k8s.io/kube-openapi") + "/pkg/generators"} {
		require.NoError(t, filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || d.Name() == "output_tests" || d.Name() == "testdata":
				return cmp.Or(err, fs.SkipDir)
			case d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go"):
				return nil
			}
			src, err := os.ReadFile(p)
			for _, m := range tag.FindAllSubmatch(src, -1) {
				if name := string(m[1]); strings.HasPrefix(name, "k8s:") {
					named = append(named, name)
				} else if strings.HasSuffix(p, "cmd/client-gen/generators/util/tags.go") {
					client = append(client, name)
				}
			}
			return err
		}))
	}
	assert.Subset(t, k8sTags, named)
	assert.GreaterOrEqual(t, len(named), 80, "tags in upstream's sources")
	slices.Sort(client)
	assert.ElementsMatch(t, genclientTags, slices.Compact(client))
}

// Upstream's own packages generate as they are: nothing in them is a mistake.
func TestUpstreamsPackagesHaveNoErrors(t *testing.T) {
	for _, module := range []string{"k8s.io/api", "k8s.io/apimachinery", "k8s.io/apiextensions-apiserver", "k8s.io/kube-aggregator"} {
		found, err := Check(moduleDir(t, module), []string{"."}, Families{Gengo: true, Kubebuilder: true, Fields: true})
		require.NoError(t, err)
		assert.NoError(t, Refusal(found), module)
	}
}

// BenchmarkCheck reads the API of Kubernetes: over two thousand files, of which some 250 have a tag.
func BenchmarkCheck(b *testing.B) {
	dir := moduleDir(b, "k8s.io/api")
	for b.Loop() {
		_, err := Check(dir, []string{"."}, Families{Gengo: true, Kubebuilder: true, Fields: true})
		require.NoError(b, err)
	}
}
