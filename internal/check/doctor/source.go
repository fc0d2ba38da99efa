// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Source is what is read of a project. Paths are slash-separated and relative to its root.
type Source struct {
	Root    string
	Project *project.Project // nil if it could not be read
	Modules []*Module
	Go      []*GoFile
	YAML    []*YAMLFile
	Scripts []Script
	Dirs    int // how many directories were read

	unread []error // files that do not parse, and that findings would be about
}

// Script is a makefile, a shell script or the like.
type Script struct {
	Path string
	Data []byte
}

// aside are directories with code that is not a part of the controller: tests, examples, pages.
var aside = []string{
	"licenses", "testdata", "test", "tests", "e2e", "testing", "design", "docs", "doc", "site", "website", "example", "examples",
}

var scriptName = lazyregexp.New(`^(Makefile|GNUmakefile|makefile|.*\.(sh|bash|mk|mak)|Taskfile\.ya?ml|[jJ]ustfile)$`)

// Open reads the project in root, which is a real path. Links are not followed.
func Open(root string, p *project.Project) (*Source, error) {
	s := &Source{Root: root, Project: p}
	var files []string
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrPermission) && file != root {
				return fs.SkipDir
			}
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (workspace.Foreign(name) || slices.Contains(aside, name)) {
				return fs.SkipDir
			}
			s.Dirs++
			return nil
		}
		ext := path.Ext(name)
		if d.Type().IsRegular() && (ext == ".go" && !strings.HasSuffix(name, "_test.go") || ext == ".yaml" || ext == ".yml" || name == "go.mod" || scriptName.MatchString(name)) {
			files = append(files, filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator))))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	read := make([][]byte, len(files))
	var workers errgroup.Group
	workers.SetLimit(2 * runtime.GOMAXPROCS(0))
	for i, file := range files {
		workers.Go(func() error {
			data, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(file)), safefs.MaxFile)
			if err != nil && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			read[i] = data
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	for i, file := range files {
		s.add(file, read[i])
	}
	return s, nil
}

func (s *Source) add(file string, data []byte) {
	switch name := path.Base(file); {
	case name == "go.mod":
		m, err := newModule(file, data)
		if err != nil {
			s.unread = append(s.unread, err)
			return
		}
		s.Modules = append(s.Modules, m)
	case scriptName.MatchString(name):
		s.Scripts = append(s.Scripts, Script{file, data})
	case path.Ext(name) == ".go":
		s.Go = append(s.Go, &GoFile{Path: file, Data: data})
	default:
		f := &YAMLFile{Path: file, Data: data}
		s.YAML = append(s.YAML, f)
		if s.Project != nil { // if it could not be read, there is an error already
			s.unread = append(s.unread, f.unreadCRDs()...)
		}
	}
}

// String says what was read.
func (s *Source) String() string {
	parts := []string{text.Count(len(s.Modules), "module", "modules"), text.Count(len(s.Go), "Go file", "Go files"), text.Count(len(s.YAML), "YAML file", "YAML files")}
	if s.Project != nil {
		parts = append(parts, text.Count(len(s.Project.CRDs), "CRD", "CRDs"))
	}
	return strings.Join(parts, ", ")
}
