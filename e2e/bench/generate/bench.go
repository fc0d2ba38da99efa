package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/e2e/internal/harness/measure"
)

//go:embed flow.sh
var flow []byte

// bench is what all projects share.
type bench struct {
	dir      string // scratch
	crdctl   string
	progress io.Writer
	// codeGenerator and controllerTools are the versions of both sides: those that crdctl is linked with.
	codeGenerator, controllerTools string
	// generators is the module of the scripts, bin the folder of upstream's built binaries.
	generators, bin string
	golang          goEnv
	// load is what others had the machine do when the bench began.
	load float64
}

// goEnv is where Go keeps what it keeps.
type goEnv struct{ GOPATH, GOMODCACHE, GOCACHE, GOENV string }

// newBench downloads and builds what upstream's side consists of.
func newBench(ctx context.Context, dir, crdctl string, progress io.Writer) (*bench, error) {
	crdctl, err := filepath.Abs(crdctl)
	if err != nil {
		return nil, err
	}
	b := &bench{dir: dir, crdctl: crdctl, progress: progress, bin: filepath.Join(dir, "bin"), load: measure.Load()}
	env, err := measure.Go(ctx, "", "env", "-json", "GOPATH", "GOMODCACHE", "GOCACHE", "GOENV")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(env, &b.golang); err != nil {
		return nil, err
	}
	versions, err := measure.Go(ctx, "", "list", "-m", "-f", "{{.Version}}", "k8s.io/code-generator", "sigs.k8s.io/controller-tools")
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(versions))
	if len(words) != 2 {
		return nil, errors.New("go.mod does not require the generators; run this in the root of crdctl")
	}
	b.codeGenerator, b.controllerTools = words[0], words[1]
	b.say("building upstream's generators, %s", b.codeGenerator)
	if b.generators, err = b.download(ctx, "k8s.io/code-generator", b.codeGenerator); err != nil {
		return nil, err
	}
	for _, name := range []string{"deepcopy", "defaulter", "conversion", "validation", "applyconfiguration", "client", "lister", "informer"} {
		install := measure.Side{Dir: b.generators, Env: append(os.Environ(), "GOWORK=off", "GOBIN="+b.bin), Argv: []string{"go", "install", "./cmd/" + name + "-gen"}}
		if _, err := measure.Run(ctx, install); err != nil {
			return nil, err
		}
	}
	controllerGen := measure.Side{Dir: dir, Env: append(os.Environ(), "GOBIN="+b.bin),
		Argv: []string{"go", "install", "sigs.k8s.io/controller-tools/cmd/controller-gen@" + b.controllerTools}}
	if _, err := measure.Run(ctx, controllerGen); err != nil {
		return nil, err
	}
	return b, os.WriteFile(filepath.Join(dir, "flow.sh"), flow, 0o644)
}

// download is the folder of a module in the module cache.
func (b *bench) download(ctx context.Context, module, version string) (string, error) {
	out, err := measure.Go(ctx, b.dir, "mod", "download", "-json", module+"@"+version)
	var m struct{ Dir, Error string }
	if json.Unmarshal(out, &m) == nil && m.Error != "" {
		err = errors.New(m.Error)
	}
	if err != nil {
		return "", fmt.Errorf("download %s@%s: %w; put the module proxy in reach", module, version, err)
	}
	return m.Dir, nil
}

// caches are the folders that a run may find something in.
type caches struct{ home, goCache, bin string }

// env is the environment of a run. Both sides have the same: nothing is downloaded, and crdctl's own cache is in a home
// that only the bench uses.
func (b *bench) env(c caches) []string {
	mine := []string{"GOWORK", "GOPROXY", "GOPATH", "GOMODCACHE", "GOENV", "GOCACHE", "GOBIN", "HOME", "XDG_CACHE_HOME"}
	env := slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return slices.Contains(mine, name)
	})
	return append(env, "GOWORK=off", "GOPROXY=off", "GOPATH="+b.golang.GOPATH, "GOMODCACHE="+b.golang.GOMODCACHE, "GOENV="+b.golang.GOENV,
		"GOCACHE="+c.goCache, "GOBIN="+c.bin, "HOME="+c.home, "XDG_CACHE_HOME="+filepath.Join(c.home, ".cache"))
}

// upstream is kube_codegen.sh in a tree.
func (b *bench) upstream(p project, tree string, c caches) measure.Side {
	pkg := path.Join(p.module, p.clientDir)
	argv := []string{"bash", filepath.Join(b.dir, "flow.sh"), b.generators, headerFile, p.apiDir, p.clientDir, pkg}
	return measure.Side{Dir: tree, Env: b.env(c), Argv: append(argv, p.flags...)}
}

// ours is crdctl in a tree.
func (b *bench) ours(p project, tree string, c caches, more ...string) measure.Side {
	argv := []string{b.crdctl, "generate", "--boilerplate", headerFile, "--api-dir", p.apiDir, "--client-dir", p.clientDir, "--code-generator-version", b.codeGenerator}
	return measure.Side{Dir: tree, Env: b.env(c), Argv: slices.Concat(argv, p.flags, more)}
}

// controllerGen is controller-gen in a tree, alone, for deep copies and CRDs.
func (b *bench) controllerGen(p project, tree string, c caches) measure.Side {
	argv := []string{filepath.Join(b.bin, "controller-gen"), "object", "crd", "output:crd:dir=" + crdDir}
	for _, dir := range p.crds {
		argv = append(argv, "paths="+dir)
	}
	return measure.Side{Dir: tree, Env: b.env(c), Argv: argv}
}

// about says what was measured, and on what.
func (b *bench) about(s settings) string {
	text := fmt.Sprintf("Medians of %d interleaved runs (%d with empty caches); code-generator %s, controller-gen %s; %s.",
		s.runs, s.cold, b.codeGenerator, b.controllerTools, measure.Machine())
	if measure.Busy(b.load) {
		// A busy scheduler makes long programs wait more than short ones, which flatters the short one.
		text += fmt.Sprintf("\nThe machine was busy when this began (load %.1f): its ratios of time are not to be trusted; look at those of CPU, or measure again.", b.load)
	}
	return text
}
