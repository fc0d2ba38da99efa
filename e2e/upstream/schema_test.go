// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/internal/testcache"
	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/tree"
)

// schemaTypes are the packages that the kinds of testdata/schema.txtar are made of.
var schemaTypes = []string{
	"example.com/fixture/pkg/apis/stable/v1", "example.com/fixture/pkg/apis/stable/shared", "k8s.io/api/core/v1",
	"k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/util/intstr",
}

// With a schema that crdctl makes, apply configurations are what upstream's generator makes with a schema that a program
// prints, which is compiled with the code that openapi-gen wrote.
func TestBuiltSchemaIsUpstreams(t *testing.T) {
	root, p := schemaFixture(t)
	result, err := gen.Generate(t.Context(), root, p, gen.Options{Year: time.Now().UTC().Year()})
	require.NoError(t, err)
	copies := tree.New() // which the fixture needs to compile
	for _, path := range result.Tree.Paths() {
		if data, _ := result.Tree.Content(path); strings.HasSuffix(path, "zz_generated.deepcopy.go") {
			gentest.Add(t, copies, path, data)
		}
	}
	gentest.Write(t, root, copies)
	want := withSchema(t, root)
	compared := 0
	for _, path := range result.Tree.Paths() {
		if !strings.HasPrefix(path, applyConfigurations+"/") {
			continue
		}
		compared++
		if ours, _ := result.Tree.Content(path); string(ours) != want[path] {
			t.Errorf("differs from upstream's:\n%s", tree.Change{Path: path, Op: tree.Update, Old: []byte(want[path]), New: ours}.Patch())
		}
	}
	assert.GreaterOrEqual(t, compared, 5)
	assert.Equal(t, len(want), compared)
}

const applyConfigurations = "pkg/client/applyconfiguration"

// withSchema returns the apply configurations that upstream's programs write into a module, with a schema.
func withSchema(t *testing.T, root string) map[string]string {
	t.Helper()
	data, err := testcache.Bytes("schema", keyOf(content(t, root), schemaTypes...), func() ([]byte, error) {
		u := &upstream{}
		if err := u.prepare(t.Context()); err != nil {
			return nil, err
		}
		header := []string{"--go-header-file", "hack/boilerplate.go.txt"}
		openapi := append(header, "--output-dir", "schema/openapi", "--output-pkg", "example.com/fixture/schema/openapi",
			"--output-file", "zz_generated.openapi.go", "--report-filename", filepath.Join(t.TempDir(), "report"),
			"--output-model-name-file", "zz_generated.model_name.go")
		for _, pkg := range schemaTypes[2:] {
			openapi = append(openapi, "--readonly-pkg", pkg)
		}
		run(t, root, filepath.Join(u.bin, "openapi-gen"), append(openapi, schemaTypes...)...)
		doc := run(t, root, "go", "run", "./schema")
		file := filepath.Join(t.TempDir(), "openapi.json")
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			return nil, err
		}
		run(t, root, filepath.Join(u.bin, "applyconfiguration-gen"), append(header, "--output-dir", applyConfigurations,
			"--output-pkg", "example.com/fixture/"+applyConfigurations, "--openapi-schema", file, schemaTypes[0])...)
		written := content(t, root)
		maps.DeleteFunc(written, func(path, _ string) bool { return !strings.HasPrefix(path, applyConfigurations+"/") })
		return json.Marshal(written)
	})
	require.NoError(t, err)
	var written map[string]string
	require.NoError(t, json.Unmarshal(data, &written))
	return written
}

// schemaFixture writes the module of testdata/schema.txtar.
func schemaFixture(t *testing.T) (root string, p *config.Project) {
	t.Helper()
	root = gentest.Fixture{Archive: "testdata/schema.txtar"}.Lay(t)
	return root, gentest.Settings(t, root)
}

// The clientset for tests that is generated with such a schema knows the types: the module's own test applies with it.
func TestFakeClientsetAppliesWithBuiltSchema(t *testing.T) {
	root, p := schemaFixture(t)
	result, err := gen.Generate(t.Context(), root, p, gen.Options{Year: 2026})
	require.NoError(t, err)
	gentest.Write(t, root, result.Tree)
	run(t, root, "go", "test", "-trimpath", "./use")
}

// run runs a program.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	return string(out)
}
