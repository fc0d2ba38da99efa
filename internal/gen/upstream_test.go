package gen

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/tree"
)

// The fixtures, one layout or family of tags each; between them they have every tag that the generators read.
var fixtures = map[string]fixture{
	"conversion":  {name: "conversion"},
	"copies":      {name: "copies"},
	"defaults":    {name: "defaults"},
	"clients":     {name: "clients"},
	"definitions": {name: "definitions"},
	"lint":        {name: "lint"},
	"registers":   {name: "registers"},
	"roles":       {name: "roles"},
	"scaffolds":   {files: scaffolds},
	"shapes":      {name: "shapes"},

	"linked":    {name: "layout", linked: true},
	"links":     {name: "registers", prepare: linkAPIs},
	"nested":    {name: "nested", prepare: requireNested},
	"space":     {name: "layout", folder: "a project folder"},
	"subfolder": {name: "subfolder", module: "code"},
	"vendored":  {name: "layout", prepare: vendor},
	"workspace": {name: "workspace", module: "api", workspace: true},
}

// The generated files are, byte by byte, those that upstream's own kube_codegen.sh makes at the same version.
func TestUpstream(t *testing.T) {
	u := newUpstream(t)
	t.Run("writes", func(t *testing.T) {
		for name, f := range fixtures {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				compare(t, u, f)
			})
		}
	})
	t.Run("validates", func(t *testing.T) {
		// It is a main package, and so runs in an engine, which is built once.
		compare(t, u, fixture{name: "validations"})
	})
	t.Run("refuses", func(t *testing.T) { refuse(t, u) })
}

// refuse holds crdctl to what upstream refuses, and to upstream's words.
func refuse(t *testing.T, u *upstream) {
	t.Helper()
	for name, c := range map[string]struct {
		f             fixture
		file, old, by string // the change that makes the fixture wrong
		want          string
	}{
		"unknown tag": {fixtures["lint"], "pkg/apis/rule/v1/doc.go", "openapi-gen", "opneapi-gen", "unrecognized +k8s: tag(s): +k8s:opneapi-gen"},
		"silent tag":  {fixtures["lint"], "pkg/apis/rule/v1/doc.go", "// +k8s:deepcopy-gen=package\n", "", "Set explicit configuration or disablement for these generators in doc.go:"},
		"two methods": {fixtures["clients"], "pkg/apis/farm/v1/types.go", "+genclient:readonly", "+genclient:redaonly", "unknown tag detected: genclient:redaonly"},
		"peer":        {fixtures["conversion"], "pkg/apis/zoo/v1/doc.go", "fixture/pkg/apis/zoo", "fixture/pkg/apis/zo", "example.com/fixture/pkg/apis/zo"},
		"uncopied":    {fixtures["copies"], "pkg/apis/whole/types.go", "BoolMap map[int]bool", "BoolMap chan int", "Hit an unsupported type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.f.folder = "project"
			root := c.f.lay(t)
			file := filepath.Join(root, filepath.FromSlash(c.file))
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, bytes.Replace(data, []byte(c.old), []byte(c.by), 1), 0o644); err != nil {
				t.Fatal(err)
			}
			p := settings(t, root)
			if result, err := Generate(t.Context(), root, p, Options{Year: 2026, UpdateReport: true, Discovered: true}); err == nil {
				t.Errorf("no error, and %d files", len(result.Tree.Paths()))
			} else if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant: %s", err, c.want)
			}
			if out, err := u.try(t, c.f, root, p); err == nil || !strings.Contains(out, c.want) {
				t.Errorf("upstream: %v\n%s\nwant: %s", err, out, c.want)
			}
		})
	}
}

// compare generates for a fixture, has upstream generate for a copy of it, and compares.
func compare(t *testing.T, u *upstream, f fixture) {
	t.Helper()
	f.folder = cmp.Or(f.folder, "project")
	ours, theirs := f.lay(t), f.lay(t)
	before := content(t, theirs)
	u.run(t, f, theirs, settings(t, theirs))
	want := content(t, theirs)
	maps.DeleteFunc(want, func(path, data string) bool { return before[path] == data && has(before, path) })
	if len(want) == 0 {
		t.Fatal("upstream wrote nothing")
	}

	p := settings(t, ours)
	first := generate(t, ours, p)
	same(t, "upstream's", want, first)
	for path := range before {
		if !has(content(t, theirs), path) {
			t.Errorf("upstream removed %s", path)
		}
	}
	// What is on disk by now must not matter to what is generated next.
	write(t, ours, first)
	same(t, "that of the first run", want, generate(t, ours, p))
}

// generate is lenient with tags: some fixtures have them where upstream does not look, and upstream generates all the same.
func generate(t *testing.T, root string, p *config.Project) *tree.Tree {
	t.Helper()
	result, err := Generate(t.Context(), root, p, Options{Year: time.Now().UTC().Year(), UpdateReport: true, Discovered: true})
	if err != nil {
		t.Fatal(err)
	}
	return result.Tree
}

// same compares every byte, and which files there are.
func same(t *testing.T, whose string, want map[string]string, got *tree.Tree) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		data, ok := got.Content(path)
		switch {
		case !ok:
			t.Errorf("%s is missing", path)
		case string(data) != want[path]:
			t.Errorf("differs from %s:\n%s", whose, tree.Change{Path: path, Op: tree.Update, Old: []byte(want[path]), New: data}.Patch())
		}
	}
	for _, path := range got.Paths() {
		if !has(want, path) {
			t.Errorf("%s is made by crdctl alone", path)
		}
	}
}

func has(files map[string]string, path string) bool {
	_, ok := files[path]
	return ok
}

func vendor(t *testing.T, root string) {
	t.Helper()
	command(t, root, "go", "mod", "vendor")
}

// linkAPIs puts a symbolic link in the place of the folder of the API packages. Upstream's clients of such packages
// don't compile: client-gen is told the folder behind the link, and the others are told the link.
func linkAPIs(t *testing.T, root string) {
	t.Helper()
	apis := filepath.Join(root, "pkg", "apis")
	if err := os.Rename(apis, filepath.Join(root, ".types")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", ".types"), apis); err != nil {
		t.Fatal(err)
	}
}

// requireNested adds to a scaffold's go.mod the modules in the project's own folder.
func requireNested(t *testing.T, root string) {
	t.Helper()
	command(t, root, "go", "mod", "edit",
		"-require=example.com/fixture/leaves@v0.0.0", "-replace=example.com/fixture/leaves=./leaves",
		"-require=example.com/far@v1.2.3", "-replace=example.com/far@v1.2.3=./third/far")
}

// command runs a program that prepares a fixture.
func command(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = filepath.FromSlash(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
