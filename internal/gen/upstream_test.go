package gen

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

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
	bin := buildUpstream(t)
	for name, fixture := range map[string]func(*testing.T, string){"scaffolds": scaffolds, "shapes": shapes} {
		t.Run(name, func(t *testing.T) {
			ours, theirs := t.TempDir(), t.TempDir()
			fixture(t, ours)
			fixture(t, theirs)
			p, err := project.Load(ours)
			if err != nil {
				t.Fatal(err)
			}
			upstream(t, bin, theirs, p)
			compare(t, ours, theirs, p)
		})
	}
}

// compare generates for the project in the folder ours and compares with what is in the folder theirs.
func compare(t *testing.T, ours, theirs string, p *project.Project) {
	t.Helper()
	result, err := Generate(t.Context(), ours, p, Options{Year: time.Now().UTC().Year()})
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
	again, err := Generate(t.Context(), ours, p, Options{Year: time.Now().UTC().Year()})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range again.Tree.Paths() {
		first, _ := result.Tree.Content(path)
		if second, _ := again.Tree.Content(path); !bytes.Equal(first, second) {
			t.Errorf("%s is another file the second time", path)
		}
	}
}

// scaffolds writes a module of two scaffolded groups into a folder: a namespaced kind with status, and a cluster-scoped
// one without, whose names are irregular throughout.
func scaffolds(t *testing.T, root string) {
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
	add(t, files, project.FileName, []byte(`{apiVersion: crdctl.dev/v1alpha1, kind: Project, boilerplate: hack/boilerplate.go.txt, apis: [pkg/apis], crds: {dir: config/crd},
		clients: [{dir: pkg/client, watch: true, applyConfiguration: true, pluralExceptions: {IPPool: Poolsofip}}]}`))
	write(t, root, files)
}

// shapes writes the module of testdata/shapes.txtar into a folder.
func shapes(t *testing.T, root string) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "shapes.txtar"))
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
}

func render(t *testing.T, o scaffold.APIOptions) *tree.Tree {
	t.Helper()
	api, err := scaffold.NewAPI(o)
	if err != nil {
		t.Fatal(err)
	}
	p := scaffold.Project{Module: "example.com/fixture", ClientDir: "pkg/client", API: api}
	files, err := p.Render(templates.FS)
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

// buildUpstream builds upstream's generators from their modules and returns the folder of the binaries.
func buildUpstream(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	install := []string{"install"}
	for _, g := range []string{"deepcopy-gen", "applyconfiguration-gen", "client-gen", "lister-gen", "informer-gen"} {
		install = append(install, "k8s.io/code-generator/cmd/"+g+"@"+codegen.Version)
	}
	run(t, bin, bin, "go", install...)
	run(t, bin, bin, "go", "install", "sigs.k8s.io/controller-tools/cmd/controller-gen@"+crd.Version)
	return bin
}

// upstream runs upstream's generators in a folder, with the arguments that kube_codegen.sh makes of the settings.
func upstream(t *testing.T, bin, root string, p *project.Project) {
	t.Helper()
	const module = "example.com/fixture/"
	c := p.Clients[0]
	pkg := func(name string) string { return module + c.Dir + "/" + name }
	packagesWith := func(tag string) (dirs []string) {
		cmd := exec.CommandContext(t.Context(), "grep", "-rlE", "--include=*.go", `^\s*//\s*\+`+tag, p.APIs[0])
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for file := range strings.FieldsSeq(string(out)) {
			dirs = append(dirs, filepath.Dir(file))
		}
		slices.Sort(dirs)
		return slices.Compact(dirs)
	}
	var inputs, apis []string
	for _, dir := range packagesWith("genclient") {
		if !codegen.VersionFolder.MatchString(filepath.Base(dir)) {
			continue
		}
		inputs = append(inputs, "--input", filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir))
		apis = append(apis, module+dir)
	}
	var copied []string
	for _, dir := range packagesWith("k8s:deepcopy-gen=") {
		copied = append(copied, module+dir)
	}
	var exceptions, externals []string
	for kind, plural := range c.PluralExceptions {
		exceptions = append(exceptions, "--plural-exceptions", kind+":"+plural)
	}
	for typ, pkg := range c.ApplyConfigurationExternals {
		externals = append(externals, "--external-applyconfigurations", typ+":"+pkg)
	}
	header := []string{"--go-header-file", p.Boilerplate}
	gen := func(name string, args ...[]string) {
		run(t, bin, root, filepath.Join(bin, name), slices.Concat(args...)...)
	}
	tree := func(name string) []string {
		return []string{"--output-dir", filepath.Join(c.Dir, name), "--output-pkg", pkg(name)}
	}

	gen("deepcopy-gen", header, []string{"--output-file", helperFiles["deepcopy"]}, copied)
	gen("applyconfiguration-gen", header, tree(c.ApplyConfigurationName), externals, apis)
	gen("client-gen", header, exceptions, tree(c.ClientsetName), inputs, []string{
		"--clientset-name", c.VersionedName, "--apply-configuration-package", pkg(c.ApplyConfigurationName),
		"--input-base", filepath.Join(root, p.APIs[0]), fmt.Sprintf("--prefers-protobuf=%v", c.PrefersProtobuf),
	})
	gen("lister-gen", header, exceptions, tree(c.ListersName), apis)
	gen("informer-gen", header, exceptions, tree(c.InformersName), []string{
		"--versioned-clientset-package", pkg(c.ClientsetName + "/" + c.VersionedName), "--listers-package", pkg(c.ListersName),
	}, apis)
	if p.CRDs.Dir != "" {
		gen("controller-gen", []string{"crd", "paths=./" + p.APIs[0] + "/...", "output:crd:dir=" + p.CRDs.Dir})
	}
}

// generatedFiles lists what the generators wrote in a folder.
func generatedFiles(t *testing.T, root string) []string {
	t.Helper()
	var paths []string
	err := fs.WalkDir(os.DirFS(root), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !byHand(p) && (strings.HasPrefix(p, "pkg/client/") || strings.HasPrefix(p, "config/crd/") || strings.Contains(p, "zz_generated")) {
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

// byHand are files of the fixtures that lie among the generated ones.
func byHand(path string) bool {
	return strings.HasSuffix(path, "foo_expansion.go") || strings.HasSuffix(path, "register_custom.go")
}
