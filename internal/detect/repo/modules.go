// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"go/version"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/workspace"
)

// Modules maps directories to import paths and back, through the go.mod files: never by what a path ends in.
type Modules struct {
	ByDir map[string]*Module // the root has the module above it, where it has no go.mod itself
	Tools []*Module          // files by other names, which commands name with -modfile
	dirs  map[string]string  // directories by import path
}

// Module is a go.mod file.
type Module struct {
	File string // relative to the root
	path string // the import path of its directory, or of the root
	mod  *modfile.File
}

func newModules(root string) *Modules {
	m := &Modules{ByDir: map[string]*Module{}, dirs: map[string]string{}}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
		return m
	}
	file, data, err := workspace.ReadAbove(filepath.Dir(root), "go.mod")
	if err != nil {
		return m
	}
	rel, _ := filepath.Rel(filepath.Dir(file), root) // root is below it
	rel = filepath.ToSlash(rel)
	mod, _ := modfile.Parse("go.mod", data, nil) // the go command says what is wrong
	m.put(".", &Module{File: strings.Repeat("../", 1+strings.Count(rel, "/")) + "go.mod", path: path.Join(modfile.ModulePath(data), rel), mod: mod})
	return m
}

// addTools takes in a file of another name than go.mod.
func (m *Modules) addTools(rel string, data []byte) {
	if mod, err := modfile.Parse(rel, data, nil); err == nil && mod.Module != nil {
		m.Tools = append(m.Tools, &Module{File: rel, path: mod.Module.Mod.Path, mod: mod})
	}
}

// add takes in a go.mod file.
func (m *Modules) add(rel string, data []byte) {
	mod, err := modfile.ParseLax(rel, data, nil)
	if err != nil || mod.Module == nil {
		return // a template is not a module, and of others the go command says what is wrong
	}
	// ParseLax leaves out what only the main module's file may have.
	if strict, err := modfile.Parse(rel, data, nil); err == nil {
		mod = strict
	}
	dir := path.Dir(rel)
	m.put(dir, &Module{File: rel, path: mod.Module.Mod.Path, mod: mod})
	for _, r := range mod.Replace {
		if to := path.Join(dir, filepath.ToSlash(r.New.Path)); r.New.Version == "" && modfile.IsDirectoryPath(r.New.Path) && filepath.IsLocal(filepath.FromSlash(to)) && m.dirs[r.Old.Path] == "" {
			m.dirs[r.Old.Path] = to
		}
	}
}

func (m *Modules) put(dir string, g *Module) {
	m.ByDir[dir] = g
	if m.dirs[g.path] == "" {
		m.dirs[g.path] = dir
	}
}

// Of is the module that a directory is in, and the directory of that module; nil and the root if there is none.
func (m *Modules) Of(dir string) (*Module, string) {
	for at := dir; ; at = path.Dir(at) {
		if g, ok := m.ByDir[at]; ok {
			return g, at
		}
		if at == "." || at == "/" {
			return nil, "."
		}
	}
}

// ImportPath is the import path of a directory; empty where it is in no module.
func (m *Modules) ImportPath(dir string) string {
	g, at := m.Of(dir)
	if g == nil {
		return ""
	}
	return path.Join(g.path, Rel(at, dir))
}

// Dir is the directory of an import path; ok is false for packages of other repositories.
func (m *Modules) Dir(importPath string) (dir string, ok bool) {
	for p := importPath; p != "." && p != "/"; p = path.Dir(p) {
		if at, found := m.dirs[p]; found {
			return path.Join(at, strings.TrimPrefix(importPath, p)), true
		}
	}
	return "", false
}

// Rel is the path from a directory to one below it.
func Rel(dir, p string) string {
	if dir == "." {
		return p
	}
	if p == dir {
		return "."
	}
	return strings.TrimPrefix(p, dir+"/")
}

// NamesAll reports whether a go.mod names all modules that its packages need, as it does since Go 1.17.
func (g *Module) NamesAll() bool {
	return g != nil && g.mod != nil && g.mod.Go != nil && version.Compare("go"+g.mod.Go.Version, "go1.17") >= 0
}

// Requirement is what a go.mod says of a module: the version that counts, and where it stands.
func (g *Module) Requirement(module string) (version, source string) {
	if g == nil || g.mod == nil {
		return "", ""
	}
	own := *g.mod // without forks of the module, whose versions are not those that it is known by
	own.Replace = slices.DeleteFunc(slices.Clone(own.Replace), func(r *modfile.Replace) bool { return r.New.Path != module })
	version, line := workspace.Required(&own, module)
	if version == "" {
		return "", ""
	}
	return version, At(g.File, line)
}

// Fork is the module that a go.mod has instead of another, and where it stands.
func (g *Module) Fork(module string) (fork, source string) {
	if g == nil || g.mod == nil {
		return "", ""
	}
	for _, r := range g.mod.Replace {
		if r.Old.Path == module && r.New.Path != module && r.New.Version != "" {
			return r.New.Path, At(g.File, r.Syntax.Start.Line)
		}
	}
	return "", ""
}

// Replaced reports whether a go.mod has another module or a directory instead of a module.
func (g *Module) Replaced(module string) bool {
	return g != nil && g.mod != nil && slices.ContainsFunc(g.mod.Replace, func(r *modfile.Replace) bool { return r.Old.Path == module && r.New.Path != module })
}

// Uses reports whether a go.mod requires a module for its own packages, and not only for those of other modules.
func (g *Module) Uses(module string) bool {
	return g.mod != nil && slices.ContainsFunc(g.mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == module && !r.Indirect })
}

// NamesRequired reports whether a text has the path of a module of another repository that one here requires, as in vendor/MODULE/crds or in
// $(go list -m -f '{{.Dir}}' MODULE)/crds.
func (m *Modules) NamesRequired(text string) bool {
	for _, g := range m.ByDir {
		if g.mod != nil && slices.ContainsFunc(g.mod.Require, func(r *modfile.Require) bool {
			_, here := m.Dir(r.Mod.Path)
			return !here && strings.Contains(text, r.Mod.Path) && repositoryOf(r.Mod.Path) != repositoryOf(g.path)
		}) {
			return true
		}
	}
	return false
}

// repositoryOf is the beginning of an import path that tells repositories apart: host, owner and name.
func repositoryOf(importPath string) string {
	parts := strings.Split(importPath, "/")
	return strings.Join(parts[:min(3, len(parts))], "/")
}
