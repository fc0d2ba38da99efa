package scaffold

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

// Every shape of project compiles, pleases vet, passes its own tests, and requires the modules that it imports.
func TestProjectsBuild(t *testing.T) {
	api := func(o APIOptions) *API {
		t.Helper()
		a, err := NewAPI(o)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	second := func(a *API) *API {
		a.TypesFile = a.Singular + "_types"
		return a
	}
	crontab := APIOptions{Group: "stable.example.com", Version: "v1beta1", Kind: "CronTab", Fields: []string{"cronSpec:string", "image:string", "replicas:int32"}}
	for name, p := range map[string]*Project{
		"plain": {APIs: []*API{api(crontab)}},
		"cluster-scoped, no status": {APIs: []*API{api(APIOptions{
			Group: "foo-bar.k8s.io", Version: "v1", Kind: "IPPool", Scope: "cluster", NoStatus: true, Plural: "poolsofip",
		})}},
		"owns a Deployment": {APIs: []*API{api(APIOptions{
			Group: "samplecontroller.k8s.io", Version: "v1alpha1", Kind: "Foo", Owns: []string{"apps/v1/Deployment"},
			Fields: []string{"deploymentName:string", "replicas:int32"},
		})}},
		"owns all that can be owned": {APIs: []*API{
			api(APIOptions{Group: "a.example.com", Version: "v1", Kind: "Thing", Fields: []string{"replicas:int32", "image:string"}, Owns: namespacedOwnable()}),
			second(api(APIOptions{Group: "a.example.com", Version: "v1", Kind: "Wide", Scope: "Cluster", NoStatus: true, Owns: []string{"v1/Namespace", "v1/ConfigMap", "apps/v1/DaemonSet"}})),
		}},
		"two kinds, one cluster-scoped": {ClientDir: "pkg/generated", APIs: []*API{
			api(APIOptions{Group: "examplecontroller.example.com", Version: "v1", Kind: "TestType"}),
			second(api(APIOptions{Group: "examplecontroller.example.com", Version: "v1", Kind: "ClusterTestType", Scope: "Cluster"})),
		}},
		"main package elsewhere": {Main: "cmd/crontab", APIs: []*API{api(crontab)}},
	} {
		t.Run(name, func(t *testing.T) {
			p.Module, p.Folder = "example.com/x", "."
			if p.Main == "" {
				p.Main = "."
			}
			if p.ClientDir == "" {
				p.ClientDir = "pkg/client"
			}
			dir := t.TempDir()
			write(t, dir, p)
			for _, args := range [][]string{
				{"mod", "tidy", "-diff"}, {"vet", "./..."}, {"vet", "-tags", "e2e", "./e2e"}, {"test", "-vet=off", "./..."},
			} {
				cmd := exec.CommandContext(t.Context(), "go", args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("go %v: %v\n%s", args, err, out)
				}
			}
		})
	}
}

// write makes a project in a folder, with all that is generated for it.
func write(t *testing.T, dir string, p *Project) {
	t.Helper()
	files, err := p.Render(templates.FS)
	if err != nil {
		t.Fatal(err)
	}
	wiring, err := p.Wiring(templates.FS)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.AddAll(wiring); err != nil {
		t.Fatal(err)
	}
	put := func(files *tree.Tree) {
		changes, err := files.Diff(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := tree.Write(dir, changes); err != nil {
			t.Fatal(err)
		}
	}
	put(files)
	settings, err := config.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	result, err := gen.Generate(t.Context(), dir, settings, gen.Options{Year: 2026})
	if err != nil {
		t.Fatal(err)
	}
	put(result.Tree)
	if _, err := os.Stat(filepath.Join(dir, "config/rbac/role.yaml")); err != nil {
		t.Error(err)
	}
}

func namespacedOwnable() []string {
	var names []string
	for name := range ownable {
		if _, err := ParseOwned([]string{name}, true); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
