package markerlint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// literals are all string literals in the non-test Go files below a folder, by file.
func literals(t *testing.T, top string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "output_tests" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					all[p] = append(all[p], s)
				}
			}
			return true
		})
		return nil
	})
	require.NoError(t, err)
	return all
}

// Every tag that upstream's sources name is in our lists: an unknown one would be called a mistake.
func TestListsHaveUpstreamsTags(t *testing.T) {
	whole := regexp.MustCompile(`^k8s:[A-Za-z0-9:-]*[A-Za-z0-9]$`)
	seen := 0
	generator := moduleDir(t, "k8s.io/code-generator")
	for _, top := range []string{generator + "/cmd", generator + "/pkg", moduleDir(t, "k8s.io/kube-openapi") + "/pkg/generators"} {
		for file, all := range literals(t, top) {
			for _, s := range all {
				if !whole.MatchString(s) {
					continue
				}
				seen++
				assert.Contains(t, k8sTags, s, "%s: %s is not in k8sTags", file, s)
			}
		}
	}
	assert.GreaterOrEqual(t, seen, 80, "only: tags found in upstream's sources")
	var client []string
	for _, s := range literals(t, generator+"/cmd/client-gen/generators/util")[filepath.Join(generator, "cmd/client-gen/generators/util/tags.go")] {
		if s == "genclient" || strings.HasPrefix(s, "genclient:") && len(s) > len("genclient:") {
			client = append(client, s)
		}
	}
	slices.Sort(client)
	want := slices.Sorted(slices.Values(genclientTags))
	assert.Equal(t, want, slices.Compact(client), "client-gen knows %v, our list", client)
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
