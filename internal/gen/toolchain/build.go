// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/ui"
)

// ErrBuild is what is wrapped by the error of an engine that cannot be built.
var ErrBuild = errors.New("the generators of this version cannot be built")

// tools is a module that older versions of code-generator pin at a version which newer Go versions do not compile.
const (
	tools       = "golang.org/x/tools"
	oldestTools = "v0.26.0"
)

// build builds an engine and puts it into the cache.
func (k kind) build(ctx context.Context, g *goCommand, cache string, of key) (binary string, err error) {
	defer ui.Step(ctx, fmt.Sprintf("building the generators of %s %s, once", k.module, of.version))()
	d, err := newScratch(cache)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, d.Remove()) }()
	src, built := filepath.Join(d.Path, "src"), filepath.Join(d.Path, "built")
	for _, dir := range []string{src, built} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return "", err
		}
	}
	flags, err := k.write(ctx, g, src, of.version)
	if err != nil {
		return "", k.fail(ctx, of.version, err)
	}
	// A stripped binary is checked and started sooner.
	args := slices.Concat([]string{"build", "-v", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(built, binaryName)}, flags, []string{"."})
	if _, err := g.run(ctx, src, args...); err != nil {
		return "", k.fail(ctx, of.version, err)
	}
	return install(ctx, cache, of, built, d.Path)
}

// fail returns the error about what could not be built, with what fixes it.
func (k kind) fail(ctx context.Context, version string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	hint := "with the module proxy in reach, run \"" + Hint + "\""
	failed := (*goError)(nil)
	switch {
	case !errors.As(err, &failed):
		return fmt.Errorf("%w: %s %s: %w", ErrBuild, k.module, version, err)
	case strings.Contains(failed.said, "unknown revision"), strings.Contains(failed.said, "404 Not Found"), strings.Contains(failed.said, "410 Gone"):
		hint = "pin one of the versions that \"go list -m -versions " + k.module + "\" lists"
	case strings.HasPrefix(failed.said, "# "): // so begin the compiler's findings
		hint = "it needs an older Go: run \"GOTOOLCHAIN=" + olderGo + " " + Hint + "\""
	}
	return fmt.Errorf("%w: %s %s: %w\n%s", ErrBuild, k.module, version, err, hint)
}

// Hint is the command after which an engine of the project's version is in the cache. No command of Go does that: an
// engine needs modules that no single one of upstream's binaries needs.
const Hint = "crdctl generate --dry-run"

// olderGo compiles all versions of upstream that there are.
const olderGo = "go1.26.0"

// writeProgram writes the source of the engine of a version.
func writeProgram(ctx context.Context, g *goCommand, dir, version string) ([]string, error) {
	upstream, err := g.download(ctx, dir, module, version)
	if err != nil {
		return nil, err
	}
	modules, goMod, err := moduleFiles(upstream, module, version, "")
	if err != nil {
		return nil, err
	}
	pinned := ""
	for _, r := range goMod.Require {
		if r.Mod.Path == openAPIModule {
			pinned = r.Mod.Version
		}
	}
	if pinned == "" {
		return nil, fmt.Errorf("%s does not name a version of %s", filepath.Join(upstream, "go.mod"), openAPIModule)
	}
	kubeOpenAPI, err := g.download(ctx, dir, openAPIModule, pinned)
	if err != nil {
		return nil, err
	}
	dirs, err := generators(upstream, kubeOpenAPI)
	if err != nil {
		return nil, err
	}
	return nil, writeMains(dir, dirs, modules)
}

// writeOpenAPI writes the source of the engine that has openapi-gen alone, of a version of its own.
func writeOpenAPI(ctx context.Context, g *goCommand, dir, version, gengo string) error {
	upstream, err := g.download(ctx, dir, openAPIModule, version)
	if err != nil {
		return err
	}
	modules, _, err := moduleFiles(upstream, openAPIModule, version, gengo)
	if err != nil {
		return err
	}
	return writeMains(dir, []string{filepath.Join(upstream, "cmd", "openapi-gen")}, modules)
}

// writeMains writes an engine of upstream's programs.
func writeMains(dir string, programs []string, modules []source) error {
	mains, err := adapt(programs, replaced)
	if err != nil {
		return err
	}
	return write(dir, slices.Concat(programFiles(), mains, modules))
}

// moduleFiles makes go.mod and go.sum of an engine; goMod is upstream's.
func moduleFiles(upstream, module, version, gengo string) (files []source, goMod *modfile.File, err error) {
	content, goMod, err := goModOf(upstream, module, version, gengo)
	if err != nil {
		return nil, nil, err
	}
	goSum, err := os.ReadFile(filepath.Join(upstream, "go.sum"))
	return []source{{"go.mod", content}, {"go.sum", goSum}}, goMod, err
}

// goModOf makes the engine's go.mod of that of upstream: with the same requirements, the same versions are chosen, and
// with the same go and godebug lines the same defaults of the Go runtime hold, of which some change what is generated. gengo is a version of
// gengo to choose if it is newer than upstream's, or "".
func goModOf(upstream, module, version, gengo string) (content []byte, f *modfile.File, err error) {
	name := filepath.Join(upstream, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	if f, err = modfile.Parse(name, data, nil); err != nil {
		return nil, nil, err
	}
	for _, r := range f.Require {
		if atLeast := map[string]string{tools: oldestTools, gengoModule: gengo}[r.Mod.Path]; semver.Compare(r.Mod.Version, atLeast) < 0 {
			if err := f.AddRequire(r.Mod.Path, atLeast); err != nil {
				return nil, nil, err
			}
		}
	}
	f.DropToolchainStmt()
	if err := errors.Join(f.AddModuleStmt(programModule), f.AddRequire(module, version)); err != nil {
		return nil, nil, err
	}
	f.Cleanup()
	content, err = f.Format()
	return []byte(strings.TrimLeft(string(content), "\n")), f, err
}
