package repo

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/workspace"
)

// Modules maps folders to import paths and back, through the go.mod files: never by what a path ends in.
type Modules struct {
	root  string
	ByDir map[string]*Module
	above *Module           // the module that the root is in, where that has its go.mod above the root
	dirs  map[string]string // folders by module path
}

// Module is a go.mod file.
type Module struct {
	file string // relative to the root
	path string // of the module
	mod  *modfile.File
	// prefix is the path from the module's folder to the root, for a module above it.
	prefix string
}

func newModules(root string) *Modules {
	m := &Modules{root: root, ByDir: map[string]*Module{}, dirs: map[string]string{}}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
		return m
	}
	file, data, err := workspace.ReadAbove(filepath.Dir(root), "go.mod")
	if err != nil {
		return m
	}
	rel, _ := filepath.Rel(filepath.Dir(file), root) // Root is below it
	m.above = &Module{file: path.Join(strings.Repeat("../", 1+strings.Count(filepath.ToSlash(rel), "/")), "go.mod"), path: modfile.ModulePath(data), prefix: filepath.ToSlash(rel)}
	if mod, err := modfile.Parse("go.mod", data, nil); err == nil {
		m.above.mod = mod
	}
	return m
}

// add takes in a go.mod file.
func (m *Modules) add(rel string, data []byte) {
	mod, err := modfile.ParseLax(rel, data, nil)
	if err != nil || mod.Module == nil {
		return // a template is no module, and of others the go command says what is wrong
	}
	// ParseLax leaves out what only the main module's file may have.
	if strict, err := modfile.Parse(rel, data, nil); err == nil {
		mod = strict
	}
	dir := path.Dir(rel)
	g := &Module{file: rel, path: mod.Module.Mod.Path, mod: mod}
	m.ByDir[dir] = g
	if _, ok := m.dirs[g.path]; !ok {
		m.dirs[g.path] = dir
	}
	for _, r := range mod.Replace {
		if r.New.Version == "" && modfile.IsDirectoryPath(r.New.Path) {
			if to := path.Join(dir, filepath.ToSlash(r.New.Path)); filepath.IsLocal(filepath.FromSlash(to)) {
				if _, ok := m.dirs[r.Old.Path]; !ok {
					m.dirs[r.Old.Path] = to
				}
			}
		}
	}
}

// Of is the module that a folder is in, and the folder of that module; nil if there is none in the repository.
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

// Main is the module that the root is in, or nil.
func (m *Modules) Main() *Module {
	if g, ok := m.ByDir["."]; ok {
		return g
	}
	return m.above
}

// In is the module of a folder that holds a go.mod, or that of the root.
func (m *Modules) In(dir string) *Module {
	if dir == "." {
		return m.Main()
	}
	return m.ByDir[dir]
}

// ImportPath is the import path of a folder; empty where it is in no module.
func (m *Modules) ImportPath(dir string) string {
	g, at := m.Of(dir)
	switch {
	case g != nil:
		return path.Join(g.path, Rel(at, dir))
	case m.above != nil:
		return path.Join(m.above.path, m.above.prefix, dir)
	}
	return ""
}

// Dir is the folder of an import path; ok is false for other people's packages.
func (m *Modules) Dir(importPath string) (dir string, ok bool) {
	for p := importPath; p != "." && p != "/"; p = path.Dir(p) {
		if at, found := m.dirs[p]; found {
			return path.Join(at, strings.TrimPrefix(importPath, p)), true
		}
	}
	if m.above != nil {
		if rest, found := strings.CutPrefix(importPath, path.Join(m.above.path, m.above.prefix)+"/"); found {
			return rest, true
		}
	}
	return "", false
}

// Rel is the path from a folder to one below it.
func Rel(dir, p string) string {
	if dir == "." {
		return p
	}
	if p == dir {
		return "."
	}
	return strings.TrimPrefix(p, dir+"/")
}

// Requirement is what a go.mod says of a module: the version that counts, and where it stands.
func (g *Module) Requirement(module string) (version, source string) {
	if g == nil || g.mod == nil {
		return "", ""
	}
	version, line := workspace.Required(g.mod, module)
	if version == "" {
		return "", ""
	}
	return version, At(g.file, line)
}
