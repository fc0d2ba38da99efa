// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Generators is the version of the generators that a project is to be generated with, and why.
type Generators struct {
	// Version is that of k8s.io/code-generator.
	Version string
	// Source is what says so, such as go.mod:12; empty if nothing does, and the version is crdctl's own.
	Source string
}

// String is how people are told.
func (g Generators) String() string {
	if g.Source == "" {
		return "code-generator " + g.Version
	}
	return fmt.Sprintf("code-generator %s (%s)", g.Version, g.Source)
}

// BuiltIn reports whether the generators in this program are those of the version: between patches of one minor version
// only their go.mod differs.
func (g Generators) BuiltIn() bool { return slices.Contains(codegen.SameAs, g.Version) }

const (
	codeGenerator = "k8s.io/code-generator"
	clientGo      = "k8s.io/client-go"
	// oldestClientGo is the first version of client-go that what the built-in generators write compiles with.
	oldestClientGo = "v0.37.0"
)

// VersionFor decides by the settings, then by what the go.mod of the first API package pins, or one above it in root, then by the client-go
// that the generated code must compile with: it comes out together with generators of the same number.
func VersionFor(root string, p *config.Project) (Generators, error) {
	if v := p.CodeGeneratorVersion; v != "" {
		return Generators{v, "the settings"}, nil
	}
	own := Generators{Version: codegen.Version}
	dir := root
	if len(p.APIs) > 0 {
		dir = filepath.Join(root, filepath.FromSlash(p.APIs[0]))
	}
	files, err := goModsAbove(dir, root)
	if err != nil {
		return own, err
	}
	for _, f := range files {
		if pinned, line := required(f.mod, codeGenerator); pinned != "" {
			return Generators{pinned, fmt.Sprintf("%s:%d", f.name, line)}, nil
		}
	}
	for _, f := range files {
		if used, line := required(f.mod, clientGo); used != "" && semver.Compare(used, oldestClientGo) < 0 {
			return Generators{used, fmt.Sprintf("for client-go, %s:%d", f.name, line)}, nil
		} else if used != "" {
			break
		}
	}
	return own, nil
}

// required is the release or pre-release that a module is required at, and the line that says so. Pseudo-versions count as none.
func required(file *modfile.File, path string) (version string, line int) {
	version, line = workspace.Required(file, path)
	if module.IsPseudoVersion(version) || semver.Build(version) != "" || semver.Major(version) != "v0" {
		return "", 0
	}
	return version, line
}

// goMod is a go.mod file, by its name relative to a root.
type goMod struct {
	name string
	mod  *modfile.File
}

// goModsAbove are the go.mod of a directory in root, or above both, and those between it and root: a module of API packages often leaves
// the tools to the module around it.
func goModsAbove(dir, root string) (files []goMod, err error) {
	for {
		path, data, err := workspace.ReadAbove(dir, "go.mod")
		if err != nil {
			return files, nil //nolint:nilerr // who loads the packages has better words for a missing go.mod
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return nil, err
		}
		mod, err := parseGoMod(path, data)
		if err != nil {
			return nil, fmt.Errorf("read the version of code-generator: %w", err)
		}
		files = append(files, goMod{filepath.ToSlash(name), mod})
		if !filepath.IsLocal(name) || name == "go.mod" {
			return files, nil
		}
		dir = filepath.Dir(filepath.Dir(path))
	}
}

// replacement is a line that replaces one of the modules that a version is taken from.
var replacement = regexp.MustCompile(`(?m)^\s*(replace\s+)?k8s\.io/(code-generator|client-go)\s.*=>`)

// parseGoMod reads a go.mod. One with words of a later Go is read all the same, for what it requires. But to be
// lax leaves replacements out as well, so there may be none that counts.
func parseGoMod(path string, data []byte) (*modfile.File, error) {
	file, err := modfile.Parse(path, data, nil)
	if err == nil {
		return file, nil
	}
	if lax, laxErr := modfile.ParseLax(path, data, nil); laxErr == nil && !replacement.Match(data) {
		return lax, nil
	}
	return nil, err
}
