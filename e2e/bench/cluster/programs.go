package main

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

// sources are the programs that crdctl is held to. They are no packages of this module: it would have to require
// controller-runtime for them.
//
//go:embed all:programs
var sources embed.FS

// programs is the folder of the built ones, named as envtest looks for them.
type programs struct {
	dir      string
	versions string // of what they are built from
}

// build builds all programs in a module that requires what crdctl's own go.mod does, so that both sides are made of the same
// code. The first build compiles an API server; the next ones find it in Go's build cache.
func build(ctx context.Context, dir string) (programs, error) {
	p := programs{dir: filepath.Join(dir, "bin")}
	module := filepath.Join(dir, "module")
	if err := unpack(module); err != nil {
		return p, err
	}
	own, err := measure.Go(ctx, "", "env", "GOMOD")
	if err != nil {
		return p, err
	}
	root := filepath.Dir(strings.TrimSpace(string(own)))
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return p, errors.Join(err, errors.New("run this in the root of crdctl"))
		}
		if err := os.WriteFile(filepath.Join(module, name), data, 0o644); err != nil {
			return p, err
		}
	}
	edit := []string{"mod", "edit", "-module=example.com/bench", "-require=" + measure.ControllerRuntime}
	if _, err := measure.Go(ctx, module, edit...); err != nil {
		return p, err
	}
	for name, pkg := range map[string]string{
		"kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver", "etcd": "go.etcd.io/etcd/server/v3", "bare": "./bare", "envtest": "./envtest",
	} {
		// -mod=mod: what controller-runtime requires more is written into this go.mod, which is thrown away.
		compile := measure.Side{Dir: module, Env: append(os.Environ(), "GOWORK=off"), Argv: []string{"go", "build", "-mod=mod", "-o", filepath.Join(p.dir, name), pkg}}
		if _, err := measure.Run(ctx, compile); err != nil {
			return p, err
		}
	}
	versions, err := measure.Go(ctx, module, "list", "-mod=mod", "-m", "k8s.io/kubernetes", "go.etcd.io/etcd/server/v3", "sigs.k8s.io/controller-runtime")
	p.versions = strings.Join(strings.Split(strings.TrimSpace(string(versions)), "\n"), ", ")
	return p, err
}

// unpack writes the sources into a folder, without the ending that keeps them from being packages of this module.
func unpack(dir string) error {
	return fs.WalkDir(sources, "programs", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(strings.TrimPrefix(path, "programs"), ".tmpl")))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		data, err := sources.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}
