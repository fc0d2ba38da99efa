package toolchain

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
)

// controllerTools is what an engine of controller-gen has a version of.
const controllerTools = "sigs.k8s.io/controller-tools"

//go:embed controllergen
var controllerGenProgram embed.FS

var controllerGen = kind{controllerTools, controllerGenFiles, writeControllerGen}

func controllerGenFiles() []source {
	return ownFiles(controllerGenProgram, "controllergen/", []copied{{"host", host.Code}})
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

// writeControllerGen writes the source of the engine of a version. The generators that came after the first version that has an
// engine are in files of their own.
func writeControllerGen(ctx context.Context, g *goCommand, dir, version string) ([]string, error) {
	upstream, err := g.download(ctx, dir, controllerTools, version)
	if err != nil {
		return nil, err
	}
	files, _, err := moduleFiles(upstream, controllerTools, version)
	if err != nil {
		return nil, err
	}
	for _, f := range controllerGenFiles() {
		if f.path == "host/apply.go" {
			if _, err := os.Stat(filepath.Join(upstream, "pkg", "applyconfiguration")); errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		files = append(files, f)
	}
	return nil, write(dir, files)
}
