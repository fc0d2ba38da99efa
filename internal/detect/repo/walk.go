// Package repo reads of a repository what can tell how its generated code was made: Go files that are generated or bear tags,
// modules, scripts, and the tops of manifests. It decides nothing, runs nothing and writes nothing.
package repo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/internal/gen/crdform"
	"github.com/crdctl/crdctl/internal/safefs"
)

// Repo is what was read of a repository. All paths are slash-separated and relative to its root.
type Repo struct {
	Root      string
	Files     []*GoFile // that are generated or bear tags, sorted by path
	ByDir     map[string][]*GoFile
	Modules   *Modules
	Texts     []Script
	Manifests []Manifest
	Roles     []Role
	Webhooks  []string    // files of webhook configurations with the name that controller-gen gives them
	Small     []SmallFile // files that may be a header
}

// Script is a file that may run generators.
type Script struct {
	Path string
	Data []byte
}

// SmallFile is a file that may be a header.
type SmallFile struct {
	Path string
	Size int64
}

// passedOver are the folders that hold other people's code, or none.
var passedOver = []string{"vendor", "_output", "third_party", "testdata", "node_modules"}

// script files tell which generators run; what else is in a repository does not.
var scriptName = regexp.MustCompile(`^(Makefile|GNUmakefile|makefile|Dockerfile.*|.*\.(sh|bash|mk|mak)|\.?mise\.toml|Taskfile\.ya?ml|[jJ]ustfile)$`)

// headerName are the files that may be the header of generated files: those that no well-known tool calls its own.
var headerName = regexp.MustCompile(`(?i)(boilerplate|header|licen[sc]e|copyright)|\.(txt|tmpl)$`)

// HeaderSize is larger than any header.
const HeaderSize = 16 << 10

const (
	scriptSize = 256 << 10 // no script is larger, and its parser recurses
	topSize    = 2 << 10   // what is read of a manifest: its metadata
)

// Open reads all that matters of the repository in root, which is a real path. Links are not followed: what they lead
// to inside the repository is read where it is.
func Open(root string) (*Repo, error) {
	r := &Repo{Root: root, ByDir: map[string][]*GoFile{}, Modules: newModules(root)}
	var paths []string
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrPermission) && p != root {
				return fs.SkipDir
			}
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (strings.HasPrefix(name, ".") || slices.Contains(passedOver, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		rel := filepath.ToSlash(strings.TrimPrefix(p, root+string(filepath.Separator)))
		switch ext := path.Ext(name); {
		case ext == ".go" && !strings.HasSuffix(name, "_test.go"), ext == ".yaml", ext == ".yml", name == "go.mod", scriptName.MatchString(name):
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
	read := make([]any, len(paths))
	var failed error
	var once sync.Once
	var workers sync.WaitGroup
	n := 2 * runtime.GOMAXPROCS(0)
	for w := range n {
		workers.Go(func() {
			for i := w; i < len(paths); i += n {
				var err error
				if read[i], err = readOne(root, paths[i]); err != nil {
					once.Do(func() { failed = err })
				}
			}
		})
	}
	workers.Wait()
	if failed != nil {
		return nil, failed
	}
	for _, found := range read {
		switch found := found.(type) {
		case *GoFile:
			r.Files = append(r.Files, found)
			r.ByDir[found.Dir] = append(r.ByDir[found.Dir], found)
		case Manifest:
			r.Manifests = append(r.Manifests, found)
		case Role:
			r.Roles = append(r.Roles, found)
		case webhookFile:
			r.Webhooks = append(r.Webhooks, string(found))
		case Script:
			if path.Base(found.Path) == "go.mod" {
				r.Modules.add(found.Path, found.Data)
				continue
			}
			r.Texts = append(r.Texts, found)
		}
	}
	return r, nil
}

// webhookFile is the path of webhook configurations.
type webhookFile string

// readOne reads a file and returns what is of use of it: a *GoFile, a manifest, a role, a webhookFile, a Script, or nil.
func readOne(root, rel string) (any, error) {
	full := filepath.Join(root, filepath.FromSlash(rel))
	switch path.Ext(rel) {
	case ".go":
		data, err := safefs.ReadFile(full, safefs.MaxFile)
		if err != nil {
			return nil, unreadable(err)
		}
		if f := NewGoFile(rel, data); f != nil {
			return f, nil
		}
		return nil, nil
	case ".yaml", ".yml":
		if !scriptName.MatchString(path.Base(rel)) {
			top, err := readTop(full)
			if err != nil {
				return nil, unreadable(err)
			}
			if m, ok := newManifest(rel, top); ok {
				return m, nil
			}
			switch {
			case path.Base(rel) == crdform.RoleFile && (bytes.Contains(top, []byte("kind: ClusterRole\n")) || bytes.Contains(top, []byte("kind: Role\n"))):
				data, err := safefs.ReadFile(full, safefs.MaxFile)
				if err != nil {
					return nil, unreadable(err)
				}
				names, form := crdform.RolesInForm(data)
				return Role{Path: rel, Names: names, Form: form}, nil
			case path.Base(rel) == "manifests.yaml" && webhooks.Match(top):
				return webhookFile(rel), nil
			}
			return nil, nil
		}
	}
	if info, err := os.Stat(full); err != nil || info.Size() > scriptSize {
		return nil, unreadable(err)
	}
	data, err := safefs.ReadFile(full, safefs.MaxFile)
	if err != nil {
		return nil, unreadable(err)
	}
	return Script{rel, data}, nil
}

// unreadable passes over files that may not be read: they tell nothing, and are nobody's generated code.
func unreadable(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readTop reads the beginning of a file.
func readTop(full string) ([]byte, error) {
	f, err := os.Open(full)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, topSize))
}

// Exists reports whether the repository has a file or folder.
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
