// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
)

// controllerTools is what an engine of controller-gen has a version of.
const controllerTools = "sigs.k8s.io/controller-tools"

//go:embed controllergen
var controllerGenProgram embed.FS

// gengoLoad are files of the other engines' host, which load packages for gengo.
var gengoLoad = []string{"load.go", "parser.go"}

var controllerGen = kind{module: controllerTools, files: controllerGenFiles, write: writeControllerGen}

func controllerGenFiles() []source {
	files := ownFiles(controllerGenProgram, "controllergen/", append([]copied{{"host", host.Code}}, packages...))
	for _, name := range gengoLoad {
		content, err := program.ReadFile("program/host/" + name + ".tmpl")
		if err != nil {
			panic(err) // what is embedded can be read
		}
		files = append(files, source{"gengo/" + name, content})
	}
	return files
}

// ControllerGen is a program that answers a host.Request for a version of sigs.k8s.io/controller-tools, from the user's cache or
// built into it.
type ControllerGen struct {
	version, binary string
}

// OpenControllerGen returns the engine of a version.
func OpenControllerGen(ctx context.Context, version string) (*ControllerGen, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	binary, err := controllerGen.in(ctx, cache, version)
	if err != nil {
		return nil, err
	}
	return &ControllerGen{version, binary}, nil
}

// Ask starts the engine for one request, in a directory.
func (e *ControllerGen) Ask(ctx context.Context, dir string, request host.Request) (response host.Response, err error) {
	err = exchange(ctx, "controller-gen "+e.version, e.binary, dir, request, &response)
	return response, err
}

// writeControllerGen writes the source of the engine of a version.
func writeControllerGen(ctx context.Context, g *goCommand, dir, version string) ([]string, error) {
	upstream, err := g.download(ctx, dir, controllerTools, version)
	if err != nil {
		return nil, err
	}
	files, _, err := moduleFiles(upstream, controllerTools, version, "")
	if err != nil {
		return nil, err
	}
	own, err := fitting(filepath.Join(upstream, "pkg"))
	if err != nil {
		return nil, err
	}
	lent, err := lending(filepath.Join(upstream, "pkg", "applyconfiguration", "gen.go"))
	if errors.Is(err, fs.ErrNotExist) { // the generator came later
		return nil, write(dir, slices.Concat(files, own))
	}
	if err != nil {
		return nil, err
	}
	// The go command refuses to build with another file in the module cache, so the engine has a copy of the module.
	copied, err := moduleCopy(upstream)
	if err != nil {
		return nil, err
	}
	for i := range files {
		if files[i].path == "go.mod" {
			files[i].content = append(files[i].content, "\nreplace "+controllerTools+" => ./upstream\n"...)
		}
	}
	return nil, write(dir, slices.Concat(files, own, copied, []source{{"upstream/pkg/applyconfiguration/gen.go", lent}}))
}

// fitting are those of crdctl's files that compile with what is in upstream's directory pkg.
func fitting(pkg string) (files []source, err error) {
	genall, err := os.ReadFile(filepath.Join(pkg, "genall", "genall.go"))
	if err != nil {
		return nil, err
	}
	filtered := bytes.Contains(genall, []byte("NeedsTypeChecking"))
	lacks := func(generator string) bool {
		_, err := os.Stat(filepath.Join(pkg, generator))
		return err != nil
	}
	for _, f := range controllerGenFiles() {
		switch dir, base := path.Split(f.path); {
		case (base == "apply.go" || dir == "gengo/") && lacks("applyconfiguration"), base == "schemapatch.go" && lacks("schemapatcher"),
			f.path == "host/check.go" && !filtered, dir == "unfiltered/" && filtered:
			continue
		case dir == "unfiltered/":
			f.path = "host/" + base
		}
		files = append(files, f)
	}
	return files, nil
}

// moduleCopy are go.mod and the packages of controller-tools, below upstream.
func moduleCopy(dir string) (files []source, err error) {
	module := os.DirFS(dir)
	err = fs.WalkDir(module, ".", func(rel string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if rel != "go.mod" && (d.IsDir() || !strings.HasPrefix(rel, "pkg/") || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go")) {
			return nil
		}
		content, err := fs.ReadFile(module, rel)
		files = append(files, source{"upstream/" + rel, content})
		return err
	})
	return files, err
}

// newParser is where upstream's generator of apply configurations makes the parser that loads all that a package imports, anew for
// each package.
const newParser = "p := parser.NewWithOptions(parser.Options{BuildTags: buildTags})\n"

// lending returns upstream's generator with a variable Lend, which is handed each parser before it loads.
func lending(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	before, after, ok := bytes.Cut(content, []byte(newParser))
	if !ok {
		return nil, fmt.Errorf("%s does not make a parser as crdctl expects it", file)
	}
	return slices.Concat(before, []byte(newParser+"\tLend(p)\n"), after, []byte("\n// Lend is set by crdctl.\nvar Lend = func(*parser.Parser) {}\n")), nil
}
