// SPDX-License-Identifier: Apache-2.0

package mainpkg

import (
	"cmp"
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// module is the part of a Go module that is below a directory.
type module struct {
	root, path string // the directory, and its import path
	packages   map[string]*source
}

// source is a parsed package of the module.
type source struct {
	dir   string
	files []*file
}

// file is a parsed file. Imports are the import paths by the names that the file has for them.
type file struct {
	*ast.File
	imports map[string]string
}

func openModule(root string) (*module, error) {
	gomod, data, err := workspace.ReadAbove(root, "go.mod")
	if err != nil {
		return nil, errors.New("no go.mod in this directory or any parent directory; " + cmp.Or(workspace.ModulesHint(root), "create one with \"go mod init\""))
	}
	rel, err := filepath.Rel(filepath.Dir(gomod), root)
	if err != nil {
		return nil, err
	}
	return &module{root: root, path: path.Join(modfile.ModulePath(data), filepath.ToSlash(rel)), packages: map[string]*source{}}, nil
}

func (m *module) relative(dir string) string {
	rel, err := filepath.Rel(m.root, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(rel)
}

// own returns the directory of an import path of this module.
func (m *module) own(importPath string) (dir string, ok bool) {
	rest, ok := strings.CutPrefix(importPath+"/", m.path+"/")
	return path.Join(".", strings.TrimSuffix(rest, "/")), ok
}

// parse reads the package in a directory: the files that are built here. Of a file with syntax errors, which are for the compiler to report,
// it keeps what the parser made of it.
func (m *module) parse(dir string) (*source, error) {
	if known, ok := m.packages[dir]; ok {
		return known, nil
	}
	s := &source{dir: dir}
	m.packages[dir] = s
	full := filepath.Join(m.root, filepath.FromSlash(dir))
	listed, err := workspace.Glob(full, "*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range listed {
		if built, err := build.Default.MatchFile(full, filepath.Base(name)); !isSource(filepath.Base(name)) || err != nil || !built {
			continue
		}
		data, err := safefs.ReadFile(name, safefs.MaxFile)
		if err != nil {
			return nil, err
		}
		parsed, _ := parser.ParseFile(token.NewFileSet(), name, data, parser.SkipObjectResolution)
		f := &file{File: parsed, imports: map[string]string{}}
		for _, i := range parsed.Imports {
			importPath, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				continue
			}
			name := packageName(importPath)
			if i.Name != nil {
				name = i.Name.Name
			}
			f.imports[name] = importPath
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

// packageName guesses the name of a package that is imported without one: the last element of its path that is not a version.
func packageName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && strings.Contains(importPath, ".") && importPath != base {
		if above := path.Base(path.Dir(importPath)); above == "pflag" || above == "cobra" || above == "cli" {
			return above
		}
	}
	return strings.TrimPrefix(base, "go-")
}

// reached returns the packages of the module that a main package needs, with itself.
func (m *module) reached(dir string) (all []*source, err error) {
	seen := map[string]bool{dir: true}
	for next := []string{dir}; len(next) > 0; next = next[1:] {
		s, err := m.parse(next[0])
		if err != nil {
			return nil, err
		}
		all = append(all, s)
		for _, f := range s.files {
			for _, importPath := range f.imports {
				if dir, ok := m.own(importPath); ok && !seen[dir] {
					seen[dir] = true
					next = append(next, dir)
				}
			}
		}
	}
	return all, nil
}
