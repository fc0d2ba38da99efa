package main

import (
	"context"
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// sources are the programs that crdctl is held to, and what they have in common with its own. They are no packages of this
// module: it would have to require controller-runtime for them.
//
//go:embed programs harness/*.go
var sources embed.FS

// programs is the folder of the built ones.
type programs struct {
	dir      string
	versions string // of what they are built from
}

// build has crdctl itself make a project, as its users do, for the types and the generated clients that the others need, and
// builds the programs of the sides.
func build(ctx context.Context, dir, crdctl string, sides []side) (programs, error) {
	p := programs{dir: filepath.Join(dir, "bin")}
	module := filepath.Join(dir, "module")
	env := append(os.Environ(), "GOWORK=off")
	steps := []measure.Side{
		{Dir: dir, Argv: []string{crdctl, "init", "-C", module, "--module", "example.com/bench", "--group", "bench.example.com", "--version", "v1", "--kind", "Widget",
			"--field", "size:int32", "--field", "text:string", "--field", "image:string", "--field", "schedule:string", "--field", "mode:string"}},
		{Dir: module, Argv: []string{"go", "mod", "edit", "-require=" + measure.ControllerRuntime}},
	}
	for _, name := range programsOf(sides) {
		if name == "ours" {
			steps = append(steps, measure.Side{Dir: ".", Argv: []string{"go", "build", "-o", filepath.Join(p.dir, name), "github.com/crdctl/crdctl/e2e/bench/loop/ours"}})
			continue
		}
		// -mod=mod: what controller-runtime requires more is written into this go.mod, which is thrown away.
		steps = append(steps, measure.Side{Dir: module, Argv: []string{"go", "build", "-mod=mod", "-o", filepath.Join(p.dir, name), "./" + name}})
	}
	for _, step := range steps {
		step.Env = env
		if _, err := measure.Run(ctx, step); err != nil {
			return p, err
		}
		if err := unpack(module); err != nil { // after init, which wants an empty folder
			return p, err
		}
	}
	versions, err := measure.Go(ctx, module, "list", "-mod=mod", "-m", "sigs.k8s.io/controller-runtime", "k8s.io/client-go")
	p.versions = strings.Join(strings.Split(strings.TrimSpace(string(versions)), "\n"), ", ")
	return p, err
}

// programsOf are the programs of some sides, each once.
func programsOf(sides []side) (names []string) {
	for _, s := range sides {
		if s.program != "" && !slices.Contains(names, s.program) {
			names = append(names, s.program)
		}
	}
	return names
}

// unpack writes the sources into a folder, without the ending that keeps them from being packages of this module.
func unpack(dir string) error {
	return fs.WalkDir(sources, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := sources.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(strings.TrimPrefix(path, "programs/"), ".tmpl")))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}
