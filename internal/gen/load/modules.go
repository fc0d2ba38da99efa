// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	modpath "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/safefs"
)

// module is where the packages of a module are.
type module struct {
	packages.Module
	// source is what is downloaded for it, after replacement; without a version if nothing is.
	source modpath.Version
	// nested tells that directories in it may be modules of their own: those of a module that was downloaded never are.
	nested bool
}

// findModules reads the build list. Since Go 1.17 go.mod lists all modules that have a package of the build; an older
// one, and a workspace, leave the choice of versions to the go command.
func (e *Env) findModules(ctx context.Context, dir string) error {
	mod, err := e.flags()
	if err != nil {
		return err
	}
	gomod := e.Vars["GOMOD"]
	if gomod == "" || gomod == os.DevNull {
		return fmt.Errorf("%w: no go.mod", ErrUnsupported)
	}
	if work := e.Vars["GOWORK"]; work != "" && work != "off" {
		if isDir(filepath.Join(filepath.Dir(work), "vendor")) {
			return fmt.Errorf("%w: the workspace is vendored", ErrUnsupported)
		}
		return e.listModules(ctx, dir)
	}
	data, err := safefs.ReadFile(gomod, safefs.MaxFile)
	if err != nil {
		return err
	}
	file, err := modfile.Parse(gomod, data, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if file.Module == nil || file.Go == nil || semver.Compare("v"+file.Go.Version, "v1.17") < 0 {
		return fmt.Errorf("%w: go.mod is older than Go 1.17", ErrUnsupported)
	}
	root := filepath.Dir(gomod)
	mod = settleMod(mod, isDir(filepath.Join(root, "vendor")))
	e.modules = []module{{Module: packages.Module{Path: file.Module.Mod.Path, Dir: root, Main: true, GoVersion: file.Go.Version}, nested: true}}
	if err := unanimous(file); err != nil {
		return err
	}
	if e.vendor, err = e.findVendor(ctx, root, mod); err != nil || e.vendor != "" {
		return err
	}
	for _, req := range file.Require {
		m, err := e.required(req.Mod, file.Replace, root)
		if err != nil {
			return err
		}
		e.modules = append(e.modules, m)
	}
	e.sortModules()
	return nil
}

// findVendor is the vendor directory that the go command builds from, or "". It looks at any that there is, even at one without a
// list of modules, and refuses one that does not agree with go.mod.
func (e *Env) findVendor(ctx context.Context, root, mod string) (string, error) {
	dir := filepath.Join(root, "vendor")
	if mod != "vendor" && (mod != "" || !isDir(dir)) {
		return "", nil
	}
	list, err := safefs.ReadFile(filepath.Join(dir, "modules.txt"), safefs.MaxFile)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if bytes.Contains(list, []byte("## workspace")) {
		return "", fmt.Errorf("%w: %s is for a workspace", ErrUnsupported, dir)
	}
	files := []string{filepath.Join(root, "go.mod"), filepath.Join(dir, "modules.txt")}
	return dir, holds(ctx, root, append(environ(root), e.more...), files, func() error {
		_, err := e.goListModules(ctx, root)
		return err
	})
}

// goListModules asks the go command about modules. It first holds a vendor directory to go.mod.
func (e *Env) goListModules(ctx context.Context, dir string, args ...string) ([]byte, error) {
	env, done, err := readOnly(e.Vars, dir, e.more)
	if err != nil {
		return nil, err
	}
	defer done()
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-m"}, args...)...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: go list -m: %w", ErrUnsupported, err)
	}
	return out, nil
}

// listModules asks the go command where all modules are.
func (e *Env) listModules(ctx context.Context, dir string) error {
	out, err := e.goListModules(ctx, dir, "-json", "all")
	if err != nil {
		return err
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var m packages.Module
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("go list -m: %w", err)
		}
		if m.Replace != nil && m.Dir == "" {
			m.Dir = m.Replace.Dir
		}
		e.modules = append(e.modules, module{Module: m, nested: m.Main || m.Replace != nil && m.Replace.Version == ""})
	}
	e.sortModules()
	return nil
}

func (e *Env) sortModules() {
	slices.SortStableFunc(e.modules, func(a, b module) int { return len(b.Path) - len(a.Path) })
}

// Place is where a package is.
type Place struct {
	Dir string
	Std bool
	// Module is the module that it is in; nil if it is Go's own or vendored.
	Module *packages.Module
}

// Find returns the directory of a package that another one imports. fromStd says that the importer is part of Go itself, which
// has a vendor directory of its own.
func (e *Env) Find(path string, fromStd bool) (Place, error) {
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") || fromStd {
		root := filepath.Join(e.Vars["GOROOT"], "src")
		if at := filepath.Join(root, filepath.FromSlash(path)); isDir(at) {
			return Place{Dir: at, Std: true}, nil
		}
		if at := filepath.Join(root, "vendor", filepath.FromSlash(path)); fromStd && isDir(at) {
			return Place{Dir: at, Std: true}, nil
		}
	}
	var missing error
	for i, m := range e.modules {
		rest, ok := strings.CutPrefix(path, m.Path)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		if m.Dir == "" {
			missing = &NotDownloaded{m.Path, m.Version}
			continue
		}
		at := filepath.Join(m.Dir, filepath.FromSlash(rest))
		has, err := m.has(at)
		if err != nil {
			return Place{}, err
		}
		if has {
			return Place{Dir: at, Module: &e.modules[i].Module}, e.extracted(m)
		}
		if m.source.Version != "" && !isDir(m.Dir) {
			missing = &NotDownloaded{m.Path, m.Version}
		}
	}
	if e.vendor != "" {
		at := filepath.Join(e.vendor, filepath.FromSlash(path))
		if hasGo(at) {
			return Place{Dir: at}, nil
		}
	}
	return Place{}, cmp.Or(missing, fmt.Errorf("%w: no module of go.mod has the package", ErrUnsupported))
}

// extracted refuses a module whose directory is there and may lack files: a go command fills it, or was killed while it did. The file that says
// so is there before the directory is, so a directory that was seen without it is whole.
func (e *Env) extracted(m module) error {
	if m.source.Version == "" {
		return nil
	}
	file, err := e.downloaded(m.source, ".partial")
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil || !os.IsNotExist(err) {
		return fmt.Errorf("%w: %s is being downloaded", ErrUnsupported, m.source)
	}
	return nil
}

// NotDownloaded is the error of a package that is not found and may be in a module of go.mod that is not in the module cache.
type NotDownloaded struct{ Module, Version string }

func (e *NotDownloaded) Error() string {
	return fmt.Sprintf("%s %s is not in the module cache", e.Module, e.Version)
}

// Unwrap makes it one of those that the go command may know better.
func (e *NotDownloaded) Unwrap() error { return ErrUnsupported }

// has reports whether a directory of a module has Go files, and is not in a module of its own.
func (m module) has(dir string) (bool, error) {
	if !hasGo(dir) {
		return false, nil
	}
	if !m.nested {
		return true, nil
	}
	for at := dir; at != m.Dir; at = filepath.Dir(at) {
		if isFile(filepath.Join(at, "go.mod")) {
			return false, nil
		}
		if at == filepath.Dir(at) {
			return false, fmt.Errorf("%w: %s is not below %s", ErrUnsupported, dir, m.Dir)
		}
	}
	return true, nil
}

func hasGo(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(d fs.DirEntry) bool { return strings.HasSuffix(d.Name(), ".go") })
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Has reports whether a package is found.
func (e *Env) Has(path string) bool {
	_, err := e.Find(path, false)
	return err == nil
}
