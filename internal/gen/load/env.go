// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"crypto/sha256"
	"fmt"
	"go/build"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Env is how the go command builds in a directory: its settings, and where each module is.
type Env struct {
	// Vars are what "go env" says of counts and of places.
	Vars map[string]string

	build   build.Context
	modules []module // the longest path first
	vendor  string   // the vendor directory that is in use, or ""
	more    []string // variables of its go commands
	// headers are those of the packages that were listed, by their directories.
	headers *sync.Map
	memory  Memory // nil if there is none
}

// counts are the settings that decide what is loaded, wherever that is.
var counts = slices.Concat([]string{"GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED", "GOFLAGS", "GOEXPERIMENT"}, slices.Compact(slices.Sorted(maps.Values(processors))))

// NewEnv asks the go command about a directory. tags are the build tags to load with.
func NewEnv(ctx context.Context, dir string, tags ...string) (*Env, error) {
	return NewEnvWith(ctx, dir, nil, tags...)
}

// NewEnvWith is NewEnv for go commands with further variables, each NAME=VALUE.
func NewEnvWith(ctx context.Context, dir string, vars []string, tags ...string) (*Env, error) {
	if err := workspace.Check(dir); err != nil {
		return nil, err
	}
	known, err := Vars(ctx, dir, append(environ(dir), vars...))
	if err != nil {
		return nil, err
	}
	e := &Env{Vars: known, more: vars, headers: &sync.Map{}, memory: memoryOf(ctx)}
	e.build = build.Default
	e.build.GOROOT = e.Vars["GOROOT"]
	e.build.GOOS, e.build.GOARCH = e.Vars["GOOS"], e.Vars["GOARCH"]
	e.build.CgoEnabled = e.Vars["CGO_ENABLED"] == "1"
	e.build.Compiler = "gc"
	e.build.BuildTags = tags
	if e.build.ReleaseTags, err = releaseTags(e.Vars["GOVERSION"]); err != nil {
		return nil, err
	}
	if err := sameTags(e.Vars, os.Getenv("GOEXPERIMENT"), e.build.ToolTags); err != nil {
		return nil, err
	}
	if err := e.findModules(ctx, dir); err != nil {
		return nil, err
	}
	return e, nil
}

// signature is all that decides which files of a directory belong to the build.
func (e *Env) signature() string {
	var all []string
	for _, name := range counts {
		all = append(all, name+"="+e.Vars[name])
	}
	return strings.Join(slices.Concat(all, e.build.BuildTags, e.build.ToolTags), "\x00")
}

// WithTags is the same environment with other build tags.
func (e *Env) WithTags(tags ...string) *Env {
	other := *e
	other.build.BuildTags, other.headers = tags, &sync.Map{}
	return &other
}

// releaseTags are go1.1 to the version's.
func releaseTags(version string) ([]string, error) {
	_, minor, _ := strings.Cut(strings.TrimPrefix(version, "go"), ".")
	end := strings.IndexFunc(minor, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		minor = minor[:end]
	}
	n, err := strconv.Atoi(minor)
	if err != nil {
		return nil, fmt.Errorf("%w: go version %q", ErrUnsupported, version)
	}
	var tags []string
	for i := 1; i <= n; i++ {
		tags = append(tags, "go1."+strconv.Itoa(i))
	}
	return tags, nil
}

// Local reports whether a directory may change: whether it is neither in the module cache nor Go's own.
func (e *Env) Local(dir string) bool {
	for _, fixed := range []string{e.Vars["GOMODCACHE"], e.Vars["GOROOT"]} {
		if fixed != "" && strings.HasPrefix(dir, fixed+string(filepath.Separator)) {
			return false
		}
	}
	return true
}

// own reports whether a directory is in the main module or one that replaces another: it may change, and is not vendored.
func (e *Env) own(dir string) bool {
	return e.Local(dir) && (e.vendor == "" || !strings.HasPrefix(dir, e.vendor+string(filepath.Separator)))
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Fingerprint is all that a load depends on except the files of packages outside of the module cache. Directories below
// root are named relative to it, so that a project may be moved.
func (e *Env) Fingerprint(root string) []string {
	var all []string
	for _, name := range counts {
		all = append(all, name+"="+e.Vars[name])
	}
	place := func(dir string) string {
		if rel, err := filepath.Rel(root, dir); err == nil {
			return rel
		}
		return dir
	}
	// What is in go.sum and in the module cache decides whether the go command builds at all.
	files := []string{e.Vars["GOWORK"], e.Vars["GOWORK"] + ".sum"}
	for _, m := range e.modules {
		if m.Main {
			files = append(files, filepath.Join(m.Dir, "go.sum"))
		}
	}
	for _, file := range files {
		if data, err := safefs.ReadFile(file, safefs.MaxFile); err == nil {
			sum := sha256.Sum256(data)
			all = append(all, filepath.Base(file)+" "+string(sum[:]))
		}
	}
	for _, m := range e.modules {
		if !isDir(m.Dir) {
			all = append(all, "missing")
		}
		all = append(all, m.Path+"@"+m.Version+" "+m.GoVersion)
		if e.Local(m.Dir) {
			all = append(all, place(m.Dir))
		} else {
			all = append(all, strings.TrimPrefix(m.Dir, e.Vars["GOMODCACHE"]))
		}
	}
	if e.vendor != "" {
		all = append(all, "vendor "+place(e.vendor))
	}
	return all
}
