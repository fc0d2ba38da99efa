package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// ErrBuild is what is wrapped by the error of an engine that cannot be built.
var ErrBuild = errors.New("the generators of this version cannot be built")

// tools is a module that older versions of code-generator pin at a version which newer Go versions do not compile.
const (
	tools       = "golang.org/x/tools"
	oldestTools = "v0.26.0"
)

// build builds an engine and puts it into the cache.
func build(ctx context.Context, g *goCommand, cache string, k key) (binary string, err error) {
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
	if err := writeProgram(ctx, g, src, k.version); err != nil {
		return "", fail(ctx, k.version, err)
	}
	// A stripped binary is checked and started sooner.
	if _, err := g.run(ctx, src, "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(built, binaryName), "."); err != nil {
		return "", fail(ctx, k.version, err)
	}
	return install(ctx, cache, k, built, d.Path)
}

// fail says what could not be built, and what mends it.
func fail(ctx context.Context, version string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	hint := "with the module proxy in reach, run \"" + Hint + "\""
	failed := (*goError)(nil)
	switch {
	case !errors.As(err, &failed):
		return fmt.Errorf("%w: %s %s: %w", ErrBuild, module, version, err)
	case strings.Contains(failed.said, "unknown revision"), strings.Contains(failed.said, "404 Not Found"), strings.Contains(failed.said, "410 Gone"):
		hint = "pin one of the versions that \"go list -m -versions " + module + "\" lists"
	case strings.HasPrefix(failed.said, "# "): // so begin the compiler's findings
		hint = "they need an older Go: run \"GOTOOLCHAIN=" + olderGo + " " + Hint + "\""
	}
	return fmt.Errorf("%w: %s %s: %w\n%s", ErrBuild, module, version, err, hint)
}

// Hint is the command after which an engine of the project's version is in the cache. No command of Go does that: an
// engine needs modules that no single one of upstream's binaries needs.
const Hint = "crdctl generate --dry-run"

// olderGo compiles all versions of upstream that there are.
const olderGo = "go1.26.0"

// writeProgram writes the source of the engine of a version.
func writeProgram(ctx context.Context, g *goCommand, dir, version string) error {
	upstream, err := g.download(ctx, dir, module, version)
	if err != nil {
		return err
	}
	goMod, openAPI, err := goModOf(upstream, version)
	if err != nil {
		return err
	}
	kubeOpenAPI, err := g.download(ctx, dir, openAPI.path, openAPI.version)
	if err != nil {
		return err
	}
	goSum, err := os.ReadFile(filepath.Join(upstream, "go.sum"))
	if err != nil {
		return err
	}
	dirs, err := generators(upstream, kubeOpenAPI)
	if err != nil {
		return err
	}
	mains, err := adapt(dirs)
	if err != nil {
		return err
	}
	files := append(programFiles(), mains...)
	return write(dir, append(files, source{"go.mod", goMod}, source{"go.sum", goSum}))
}

type required struct{ path, version string }

// goModOf makes the engine's go.mod of that of upstream: with the same requirements, the same versions are chosen, and
// with the same go and godebug lines the same defaults of the Go runtime hold, of which some change what is generated.
func goModOf(upstream, version string) (goMod []byte, openAPI required, err error) {
	name := filepath.Join(upstream, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, openAPI, err
	}
	f, err := modfile.Parse(name, data, nil)
	if err != nil {
		return nil, openAPI, err
	}
	for _, r := range f.Require {
		switch {
		case r.Mod.Path == "k8s.io/kube-openapi":
			openAPI = required{r.Mod.Path, r.Mod.Version}
		case r.Mod.Path == tools && semver.Compare(r.Mod.Version, oldestTools) < 0:
			if err := f.AddRequire(tools, oldestTools); err != nil {
				return nil, openAPI, err
			}
		}
	}
	if openAPI.path == "" {
		return nil, openAPI, fmt.Errorf("%s names no version of k8s.io/kube-openapi", name)
	}
	f.DropToolchainStmt()
	if err := errors.Join(f.AddModuleStmt(programModule), f.AddRequire(module, version)); err != nil {
		return nil, openAPI, err
	}
	f.Cleanup()
	goMod, err = f.Format()
	return []byte(strings.TrimLeft(string(goMod), "\n")), openAPI, err
}
