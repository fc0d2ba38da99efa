package gen

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/scaffold"
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
	root := t.TempDir()
	p := schemaFixture(t, root)
	result, err := Generate(t.Context(), root, p, Options{Year: time.Now().UTC().Year()})
	if err != nil {
		t.Fatal(err)
	}
	copies := tree.New() // which the fixture needs to compile
	for _, path := range result.Tree.Paths() {
		if data, _ := result.Tree.Content(path); strings.HasSuffix(path, "zz_generated.deepcopy.go") {
			add(t, copies, path, data)
		}
	}
	write(t, root, copies)
	upstreamWithSchema(t, root)
	compared := 0
	for _, path := range result.Tree.Paths() {
		if !strings.HasPrefix(path, "pkg/client/applyconfiguration/") {
			continue
		}
		theirs, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if ours, _ := result.Tree.Content(path); !bytes.Equal(ours, theirs) {
			t.Errorf("differs from upstream's:\n%s", tree.Change{Path: path, Op: tree.Update, Old: theirs, New: ours}.Patch())
		}
	}
	if compared < 5 {
		t.Errorf("%d files compared, want more", compared)
	}
}

// upstreamWithSchema writes apply configurations into a module as upstream's binaries do, with a schema.
func upstreamWithSchema(t *testing.T, root string) {
	t.Helper()
	bin := t.TempDir()
	run(t, bin, bin, "go", "install", "k8s.io/code-generator/cmd/applyconfiguration-gen@"+codegen.Version)
	// Not in module mode @version: kube-openapi has none but that of the fixture's go.mod.
	run(t, bin, ".", "go", "install", "k8s.io/kube-openapi/cmd/openapi-gen")
	header := []string{"--go-header-file", "hack/boilerplate.go.txt"}
	openapi := append(header, "--output-dir", "schema/openapi", "--output-pkg", "example.com/fixture/schema/openapi",
		"--output-file", "zz_generated.openapi.go", "--report-filename", filepath.Join(bin, "report"),
		"--output-model-name-file", "zz_generated.model_name.go")
	for _, pkg := range schemaTypes[2:] {
		openapi = append(openapi, "--readonly-pkg", pkg)
	}
	run(t, bin, root, filepath.Join(bin, "openapi-gen"), append(openapi, schemaTypes...)...)
	doc := run(t, bin, root, "go", "run", "./schema")
	file := filepath.Join(bin, "openapi.json")
	if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, bin, root, filepath.Join(bin, "applyconfiguration-gen"), append(header, "--output-dir", "pkg/client/applyconfiguration",
		"--output-pkg", "example.com/fixture/pkg/client/applyconfiguration", "--openapi-schema", file, schemaTypes[0])...)
}

// schemaFixture writes the module of testdata/schema.txtar into a folder.
func schemaFixture(t *testing.T, root string) *config.Project {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "schema.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := tree.New()
	for _, f := range archive.Files {
		add(t, files, f.Name, f.Data)
	}
	rendered := render(t, scaffold.APIOptions{Group: "stable.example.com", Version: "v1", Kind: "CronTab"})
	for _, path := range []string{"go.mod", "go.sum", "hack/boilerplate.go.txt"} {
		data, _ := rendered.Content(path)
		add(t, files, path, data)
	}
	write(t, root, files)
	p, err := config.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The clientset for tests that is generated with such a schema knows the types: the module's own test applies with it.
func TestFakeClientsetAppliesWithBuiltSchema(t *testing.T) {
	root := t.TempDir()
	result, err := Generate(t.Context(), root, schemaFixture(t, root), Options{Year: 2026})
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, result.Tree)
	run(t, "", root, "go", "test", "./use")
}

// run runs a program; bin is where "go install" puts its results.
func run(t *testing.T, bin, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
