package gen

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crd"
	"github.com/crdctl/crdctl/internal/project"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

// The generated files are, byte by byte, those of upstream's own binaries of the same version, called as
// kube_codegen.sh calls them.
func TestUpstreamWritesTheSame(t *testing.T) {
	ours, theirs := t.TempDir(), t.TempDir()
	p := fixture(t, ours)
	fixture(t, theirs)
	upstream(t, theirs)

	result, err := Generate(t.Context(), ours, p, time.Now().UTC().Year())
	if err != nil {
		t.Fatal(err)
	}
	want := generatedFiles(t, theirs)
	if len(want) < 40 {
		t.Fatalf("upstream wrote %d files; the fixture asks for more: %v", len(want), want)
	}
	if got := result.Tree.Paths(); !slices.Equal(got, want) {
		t.Errorf("files:\n%s\nupstream:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, path := range want {
		theirs, err := os.ReadFile(filepath.Join(theirs, path))
		if err != nil {
			t.Fatal(err)
		}
		if ours, _ := result.Tree.Content(path); !bytes.Equal(ours, theirs) {
			t.Errorf("differs from upstream's:\n%s", tree.Change{Path: path, Op: tree.Update, Old: theirs, New: ours}.Patch())
		}
	}
}

// fixture writes a module of two scaffolded groups into a folder: a namespaced kind with status, and a cluster-scoped
// one without, whose names are irregular throughout.
func fixture(t *testing.T, root string) *project.Project {
	t.Helper()
	files := tree.New()
	for _, o := range []scaffold.APIOptions{
		{Group: "stable.example.com", Version: "v1beta1", Kind: "CronTab", ShortNames: []string{"ct"}, Fields: []string{"cronSpec:string", "image:string", "replicas:int32"}},
		{Group: "foo-bar.k8s.io", Version: "v1", Kind: "IPPool", Scope: "Cluster", NoStatus: true, Plural: "poolsofip", Fields: []string{"podCIDRs:[]string", "labels:map[string]string"}},
	} {
		api, err := scaffold.NewAPI(o)
		if err != nil {
			t.Fatal(err)
		}
		p := scaffold.Project{Module: "example.com/fixture", ClientDir: "pkg/client", API: api}
		rendered, err := p.Render(templates.FS)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range rendered.Paths() {
			if _, ok := files.Content(path); ok || strings.HasSuffix(path, ".yaml") || path == "main.go" || strings.HasPrefix(path, "controller") {
				continue
			}
			data, _ := rendered.Content(path)
			if err := files.Add(path, data); err != nil {
				t.Fatal(err)
			}
		}
	}
	settings := `{apiVersion: crdctl.dev/v1alpha1, kind: Project, boilerplate: hack/boilerplate.go.txt, apis: [pkg/apis], crds: {dir: config/crd},
		clients: [{dir: pkg/client, watch: true, applyConfiguration: true, pluralExceptions: {IPPool: Poolsofip}}]}`
	if err := files.Add(project.FileName, []byte(settings)); err != nil {
		t.Fatal(err)
	}
	changes, err := files.Diff(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Write(root, changes); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// upstream builds upstream's generators from their modules and runs them in a folder.
func upstream(t *testing.T, root string) {
	t.Helper()
	bin := t.TempDir()
	run := func(dir string, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	install := []string{"install"}
	for _, g := range []string{"deepcopy-gen", "applyconfiguration-gen", "client-gen", "lister-gen", "informer-gen"} {
		install = append(install, "k8s.io/code-generator/cmd/"+g+"@"+codegen.Version)
	}
	run(bin, "go", install...)
	run(bin, "go", "install", "sigs.k8s.io/controller-tools/cmd/controller-gen@"+crd.Version)

	const client = "example.com/fixture/pkg/client"
	header := []string{"--go-header-file", "hack/boilerplate.go.txt"}
	exceptions := []string{"--plural-exceptions", "IPPool:Poolsofip"}
	apis := []string{"example.com/fixture/pkg/apis/foobar/v1", "example.com/fixture/pkg/apis/stable/v1beta1"}
	gen := func(name string, args ...[]string) { run(root, filepath.Join(bin, name), slices.Concat(args...)...) }

	gen("deepcopy-gen", header, []string{"--output-file", "zz_generated.deepcopy.go"}, apis)
	gen("applyconfiguration-gen", header, []string{"--output-dir", "pkg/client/applyconfiguration", "--output-pkg", client + "/applyconfiguration"}, apis)
	gen("client-gen", header, exceptions, []string{
		"--output-dir", "pkg/client/clientset", "--output-pkg", client + "/clientset", "--clientset-name", "versioned",
		"--apply-configuration-package", client + "/applyconfiguration", "--input-base", filepath.Join(root, "pkg/apis"),
		"--input", "foobar/v1", "--input", "stable/v1beta1",
	})
	gen("lister-gen", header, exceptions, []string{"--output-dir", "pkg/client/listers", "--output-pkg", client + "/listers"}, apis)
	gen("informer-gen", header, exceptions, []string{
		"--output-dir", "pkg/client/informers", "--output-pkg", client + "/informers",
		"--versioned-clientset-package", client + "/clientset/versioned", "--listers-package", client + "/listers",
	}, apis)
	gen("controller-gen", []string{"crd", "paths=./pkg/apis/...", "output:crd:dir=config/crd"})
}

// generatedFiles lists what the generators wrote in a folder.
func generatedFiles(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasPrefix(p, "pkg/client/") || strings.HasPrefix(p, "config/crd/") || strings.Contains(p, "zz_generated")) {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}
