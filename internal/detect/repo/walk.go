// SPDX-License-Identifier: Apache-2.0

// Package repo reads of a repository what can tell how its generated code was made: Go files that are generated or bear tags,
// modules, scripts, and the tops of manifests. It decides nothing, runs nothing and writes nothing.
package repo

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/git"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
	"github.com/crdctl/crdctl/internal/workspace"
)

// Repo is what was read of a repository. All paths are slash-separated and relative to its root.
type Repo struct {
	Root      string
	Files     []*GoFile // that are generated or bear tags, sorted by path
	ByDir     map[string][]*GoFile
	Modules   *Modules
	Texts     []Script
	Manifests []Manifest // that controller-gen or crdctl made
	CRDs      []Manifest // all, by whatever they were made
	Roles     []Role
	Webhooks  []string    // files of webhook configurations with the name that controller-gen gives them
	Small     []SmallFile // files that may be a header
	Git       *git.Tree
}

// Script is a file that may run generators.
type Script struct {
	Path  string
	Data  []byte
	lower []byte // is Data in lower case, nil where it was not read from a repository
}

// Mentions reports whether a script has any of some words in lower case, in whatever case it has them: looking for them is much faster than
// trying an expression.
func (s Script) Mentions(words ...string) bool {
	if s.lower == nil {
		s.lower = bytes.ToLower(s.Data)
	}
	return slices.ContainsFunc(words, func(w string) bool { return bytes.Contains(s.lower, []byte(w)) })
}

// SmallFile is a file that may be a header.
type SmallFile struct {
	Path string
	Size int64
}

// script files tell which generators run; what else is in a repository does not.
var scriptName = lazyregexp.New(`^((GNU)?[mM]akefile([._-].*)?|Dockerfile.*|.*\.(sh|bash|mk|mak|make|nix)|\.?mise\.toml|\.tool-versions|\.?tools?[-_]versions?\.ya?ml|[tT]askfile([._-][\w.-]*)?\.ya?ml|[jJ]ustfile)$`)

// notMake are files with the name of a makefile that make does not read: those for other programs to fill in, backups, code and text.
var notMake = lazyregexp.New(`^(GNU)?[mM]akefile.*\.(am|in|j2|te?mpl|template|tpl|bak|old|orig|rej|go|py|md|txt)$`)

// isScript reports whether a file has the name of a script.
func isScript(name string) bool {
	return scriptName.MatchString(name) && !notMake.MatchString(name)
}

// scriptDir are the directories in which scripts have names without an ending, too: they begin with the name of their shell.
var (
	scriptDir = lazyregexp.New(`(^|/)(hack|scripts?|bin)(/|$)`)
	shebang   = lazyregexp.New(`^#![^\n]*\b(ba)?sh\b`)
)

// Shell reports whether a script is one of a shell.
func (s Script) Shell() bool {
	ext := path.Ext(s.Path)
	return ext == ".sh" || ext == ".bash" || ext == "" && shebang.Match(s.Data)
}

// Make reports whether a script is one of make.
func (s Script) Make() bool {
	name := strings.ToLower(path.Base(s.Path))
	return strings.HasPrefix(name, "makefile") || strings.HasSuffix(name, "makefile") || slices.Contains([]string{".mk", ".mak", ".make"}, path.Ext(name))
}

// taskVersion and tasks are in the files of task, which may have any name where another includes them.
var (
	taskVersion = lazyregexp.New(`(?m)^version:\s*['"]?[23](\.\d+)*['"]?\s*$`)
	tasks       = lazyregexp.New(`(?m)^tasks:\s*$`)
)

// Task reports whether a script is one of task.
func (s Script) Task() bool {
	ext := path.Ext(s.Path)
	return (ext == ".yml" || ext == ".yaml") && (strings.HasPrefix(strings.ToLower(path.Base(s.Path)), "taskfile") || tasks.Match(s.Data))
}

// miseConfigs are the files of mise for the whole repository that are in directories of their own. Source: mise.jdx.dev/configuration.html.
var miseConfigs = []string{".mise/config.toml", "mise/config.toml", ".config/mise.toml", ".config/mise/config.toml"}

// Mise reports whether a script is one of mise, and the directory in which its tasks run.
func (s Script) Mise() (dir string, ok bool) {
	if slices.Contains(miseConfigs, s.Path) {
		return ".", true
	}
	return path.Dir(s.Path), strings.HasSuffix(path.Base(s.Path), "mise.toml")
}

// mage is in the Go files of mage, which runs their functions as make does targets.
var mage = lazyregexp.New(`(?m)^//go:build mage\b`)

// Mage reports whether a script is one of mage.
func (s Script) Mage() bool { return path.Ext(s.Path) == ".go" }

var packageMain = lazyregexp.New(`(?m)^package main\b`)

// headerName are the files that may be the header of generated files: those that no well-known tool calls its own.
var headerName = lazyregexp.New(`(?i)(boilerplate|header|licen[sc]e|copyright)|\.(txt|tmpl)$`)

// HeaderSize is larger than any header.
const HeaderSize = 16 << 10

const (
	scriptSize = 256 << 10 // no script is larger, and its parser recurses
	topSize    = 2 << 10   // what is read of a manifest: its metadata
)

// Open reads all that matters of the repository in root, which is a real path. Links are not followed: what they lead
// to inside the repository is read where it is.
func Open(root string) (*Repo, error) {
	r := &Repo{Root: root, ByDir: map[string][]*GoFile{}, Modules: newModules(root), Git: git.NewTree(root)}
	var paths []string
	var samples samples
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrPermission) && p != root {
				return fs.SkipDir
			}
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && !samples.enter(p, name) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || samples.outside(p) {
			return nil
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		switch ext := path.Ext(name); {
		case isSource(name), ext == ".yaml", ext == ".yml", ext == ".mod", isScript(name),
			ext == "" && scriptDir.MatchString(path.Dir(rel)):
			paths = append(paths, rel)
		case headerName.MatchString(name) && ext != ".md" && ext != ".go":
			if info, err := d.Info(); err == nil && info.Size() <= HeaderSize {
				r.Small = append(r.Small, SmallFile{rel, info.Size()})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, rel := range miseConfigs {
		if info, err := os.Stat(filepath.Join(root, filepath.FromSlash(rel))); err == nil && info.Mode().IsRegular() && !slices.Contains(paths, rel) {
			paths = append(paths, rel)
		}
	}
	found := make([]func(*Repo), len(paths))
	var workers errgroup.Group
	workers.SetLimit(2 * runtime.GOMAXPROCS(0))
	for i, rel := range paths {
		workers.Go(func() (err error) {
			if found[i], err = readOne(root, rel); errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
				return nil // a file that may not be read shows nothing, and is not generated code of the user's
			}
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	for _, add := range found {
		if add != nil {
			add(r)
		}
	}
	return r, nil
}

// samples finds the projects of kubebuilder that are kept below testdata: they have generated code, and what else is there has not.
type samples struct {
	testdata, project string // the directories that the walk is in
}

// sampleDepth is how far below testdata a project is looked for.
const sampleDepth = 4

// enter reports whether the walk goes into a directory.
func (s *samples) enter(dir, name string) bool {
	separator := string(filepath.Separator)
	if s.testdata != "" && !strings.HasPrefix(dir, s.testdata+separator) {
		s.testdata = ""
	}
	if s.project != "" && !strings.HasPrefix(dir, s.project+separator) {
		s.project = ""
	}
	switch {
	case s.testdata != "" && s.project == "":
		_, noProject := os.Lstat(filepath.Join(dir, "PROJECT"))
		_, noModule := os.Lstat(filepath.Join(dir, "go.mod"))
		if noProject == nil && noModule == nil {
			s.project = dir
			return true
		}
		return strings.Count(strings.TrimPrefix(dir, s.testdata), separator) < sampleDepth && !workspace.Foreign(name) && name != "testdata"
	case name == "testdata" && s.testdata == "":
		s.testdata = dir
		return true
	}
	return !workspace.Foreign(name) && name != "testdata"
}

// outside reports whether a file is below testdata and in no project there.
func (s *samples) outside(file string) bool {
	separator := string(filepath.Separator)
	return s.testdata != "" && strings.HasPrefix(file, s.testdata+separator) && (s.project == "" || !strings.HasPrefix(file, s.project+separator))
}

// readOne reads a file and returns what adds it to a repository; nil for a file of no use.
func readOne(root, rel string) (func(*Repo), error) {
	full := filepath.Join(root, filepath.FromSlash(rel))
	base, ext := path.Base(rel), path.Ext(rel)
	switch {
	case ext == ".go":
		data, err := safefs.ReadFile(full, safefs.MaxFile)
		if err != nil {
			return nil, err
		}
		if bytes.Contains(data, []byte("//go:build mage")) && mage.Match(data) { // an expression takes longer than all else that is done with most files
			return func(r *Repo) { r.Texts = append(r.Texts, Script{rel, data, bytes.ToLower(data)}) }, nil
		}
		f := newGoFile(rel, data)
		f.Main = f.Generator == "" && isMain(full, data)
		if f.Generator == "" && f.Tags == nil && !f.Main && f.Generate == nil && f.Kinds == nil {
			return nil, nil
		}
		return func(r *Repo) {
			r.Files = append(r.Files, f)
			r.ByDir[f.Dir] = append(r.ByDir[f.Dir], f)
		}, nil
	case (ext == ".yaml" || ext == ".yml") && !isScript(base):
		return readManifest(full, rel)
	}
	if info, err := os.Stat(full); err != nil || info.Size() > scriptSize {
		return nil, err
	}
	data, err := safefs.ReadFile(full, safefs.MaxFile)
	if err != nil {
		return nil, err
	}
	if ext == "" && !isScript(base) && !shebang.Match(data) {
		return nil, nil
	}
	return func(r *Repo) {
		switch {
		case base == "go.mod":
			r.Modules.add(rel, data)
		case ext == ".mod":
			r.Modules.addTools(rel, data)
		default:
			r.Texts = append(r.Texts, Script{rel, data, bytes.ToLower(data)})
		}
	}, nil
}

// readManifest is readOne for a YAML file, of which mostly the top is read.
func readManifest(full, rel string) (func(*Repo), error) {
	top, err := readTop(full)
	if err != nil {
		return nil, err
	}
	m, isCRD := newManifest(rel, top)
	switch base := path.Base(rel); {
	case isCRD:
		return func(r *Repo) {
			if r.CRDs = append(r.CRDs, m); m.Version != "" {
				r.Manifests = append(r.Manifests, m)
			}
		}, nil
	case base == crdform.RoleFile && role.Match(top):
		data, err := safefs.ReadFile(full, safefs.MaxFile)
		if err != nil {
			return nil, err
		}
		names, form := crdform.RolesInForm(bytes.TrimPrefix(data, []byte("\n"))) // with which v0.7.0 and before begin
		return func(r *Repo) { r.Roles = append(r.Roles, Role{Path: rel, Names: names, Form: form}) }, nil
	case base == "manifests.yaml" && webhooks.Match(top):
		return func(r *Repo) { r.Webhooks = append(r.Webhooks, rel) }, nil
	case taskVersion.Match(top):
		data, err := safefs.ReadFile(full, safefs.MaxFile)
		if err != nil || !tasks.Match(data) {
			return nil, err
		}
		return func(r *Repo) { r.Texts = append(r.Texts, Script{rel, data, bytes.ToLower(data)}) }, nil
	}
	return nil, nil
}

// target is the system that programs are looked for.
var target = build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc", CgoEnabled: true, ReleaseTags: build.Default.ReleaseTags}

// isMain reports whether a file has the main function of a program that is built without tags of the user's.
func isMain(full string, data []byte) bool {
	if strings.HasSuffix(full, "_test.go") || !bytes.Contains(data, []byte("package main")) || !bytes.Contains(data, []byte("\nfunc main() {")) {
		return false
	}
	dir, name := filepath.Split(full)
	built, err := target.MatchFile(dir, name)
	return err == nil && built && packageMain.Match(data)
}

// readTop reads the beginning of a file.
func readTop(full string) ([]byte, error) {
	f, err := os.Open(full)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	top := make([]byte, topSize)
	n, err := io.ReadFull(f, top)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = nil
	}
	return top[:n], err
}

// Exists reports whether the repository has a file or directory.
func (r *Repo) Exists(rel string) bool {
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return false
	}
	_, err := os.Stat(filepath.Join(r.Root, filepath.FromSlash(rel)))
	return err == nil
}

// At is a place in the repository, for people and editors.
func At(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
