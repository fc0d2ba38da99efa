package gen

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

// fixture is a project to generate for.
type fixture struct {
	// name is that of its archive in testdata.
	name string
	// module is the folder of go.mod, and of go.sum, which are a scaffold's where the archive has none.
	module string
	// folder is what the project's folder is called.
	folder string
	// linked puts the project behind a symbolic link.
	linked bool
	// workspace tells that there is a go.work.
	workspace bool
	// prepare makes of the archive what no archive can hold.
	prepare func(t *testing.T, root string)
	// files, if any, make the project in the place of an archive.
	files func(t *testing.T) *tree.Tree
}

// lay writes a fixture and returns the project's folder.
func (f fixture) lay(t *testing.T) string {
	t.Helper()
	parent := t.TempDir()
	root := filepath.Join(parent, f.folder)
	behind := root
	if f.linked {
		behind = filepath.Join(parent, "behind")
	}
	if err := os.MkdirAll(behind, 0o755); err != nil {
		t.Fatal(err)
	}
	if f.linked {
		if err := os.Symlink(behind, root); err != nil {
			t.Fatal(err)
		}
	}
	if f.files == nil {
		write(t, behind, f.unpack(t))
	} else {
		write(t, behind, f.files(t))
	}
	if f.prepare != nil {
		f.prepare(t, root)
	}
	return root
}

func (f fixture) unpack(t *testing.T) *tree.Tree {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", f.name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := tree.New()
	for _, file := range archive.Files {
		add(t, files, file.Name, file.Data)
	}
	rendered := render(t, scaffold.APIOptions{Group: "stable.example.com", Version: "v1", Kind: "CronTab"})
	for from, to := range map[string]string{
		"go.mod": path.Join(f.module, "go.mod"), "go.sum": path.Join(f.module, "go.sum"), "hack/boilerplate.go.txt": "hack/boilerplate.go.txt",
	} {
		if _, ok := files.Content(to); !ok {
			data, _ := rendered.Content(from)
			add(t, files, to, data)
		}
	}
	return files
}

// settings are those of a project's crdctl.yaml.
func settings(t *testing.T, root string) *config.Project {
	t.Helper()
	p, err := config.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// content is what files there are in a folder and behind links to folders, without what the go command vendored and
// what is hidden.
func content(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			name := path.Join(dir, entry.Name())
			info, err := os.Stat(filepath.Join(root, name))
			switch {
			case err != nil:
				t.Fatal(err)
			case entry.Name() == "vendor" || entry.Name()[0] == '.':
			case info.IsDir():
				walk(name)
			default:
				data, err := os.ReadFile(filepath.Join(root, name))
				if err != nil {
					t.Fatal(err)
				}
				all[name] = string(data)
			}
		}
	}
	walk("")
	return all
}

// scaffolds is a module of two scaffolded groups: a namespaced kind with status, and a cluster-scoped one without, whose
// names are irregular throughout.
func scaffolds(t *testing.T) *tree.Tree {
	t.Helper()
	files := tree.New()
	for _, o := range []scaffold.APIOptions{
		{Group: "stable.example.com", Version: "v1beta1", Kind: "CronTab", ShortNames: []string{"ct"}, Fields: []string{"cronSpec:string", "image:string", "replicas:int32"}},
		{Group: "foo-bar.k8s.io", Version: "v1", Kind: "IPPool", Scope: "Cluster", NoStatus: true, Plural: "poolsofip", Fields: []string{"podCIDRs:[]string", "labels:map[string]string"}},
	} {
		rendered := render(t, o)
		for _, path := range rendered.Paths() {
			if _, ok := files.Content(path); ok || strings.HasSuffix(path, ".yaml") || path == "main.go" || strings.HasPrefix(path, "controller") {
				continue
			}
			data, _ := rendered.Content(path)
			add(t, files, path, data)
		}
	}
	add(t, files, config.FileName, []byte(`{apiVersion: crdctl.dev/v1alpha1, kind: Project, boilerplate: hack/boilerplate.go.txt, apis: [pkg/apis], crds: {dir: config/crd},
		clients: [{dir: pkg/client, watch: true, applyConfiguration: true, pluralExceptions: {IPPool: Poolsofip}}]}`))
	return files
}

func render(t *testing.T, o scaffold.APIOptions) *tree.Tree {
	t.Helper()
	api, err := scaffold.NewAPI(o)
	if err != nil {
		t.Fatal(err)
	}
	p := scaffold.Project{Module: "example.com/fixture", Folder: ".", Main: ".", ClientDir: "pkg/client", APIs: []*scaffold.API{api}}
	files, err := p.Files(templates.FS)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func add(t *testing.T, files *tree.Tree, path string, data []byte) {
	t.Helper()
	if err := files.Add(path, data); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, root string, files *tree.Tree) {
	t.Helper()
	changes, err := files.Diff(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := tree.Write(root, changes); err != nil {
		t.Fatal(err)
	}
}
