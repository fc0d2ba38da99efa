package detect

import (
	"bytes"
	"errors"
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

// repo is what was read of a repository. All paths are slash-separated and relative to its root.
type repo struct {
	root      string
	files     []*goFile // that are generated or bear tags, sorted by path
	byDir     map[string][]*goFile
	modules   *modules
	texts     []textFile // scripts
	manifests []manifest
	roles     []role
	webhooks  []string    // files of webhook configurations with the name that controller-gen gives them
	small     []smallFile // files that may be a header
}

type textFile struct {
	path string
	data []byte
}

type smallFile struct {
	path string
	size int64
}

// passedOver are the folders that hold other people's code, or none.
var passedOver = []string{"vendor", "_output", "third_party", "testdata", "node_modules"}

// script files tell which generators run; what else is in a repository does not.
var scriptName = regexp.MustCompile(`^(Makefile|GNUmakefile|makefile|Dockerfile.*|.*\.(sh|bash|mk|mak)|\.?mise\.toml|Taskfile\.ya?ml|[jJ]ustfile)$`)

// headerName are the files that may be the header of generated files: those that no well-known tool calls its own.
var headerName = regexp.MustCompile(`(?i)(boilerplate|header|licen[sc]e|copyright)|\.(txt|tmpl)$`)

const (
	headerSize = 16 << 10  // no header is larger
	scriptSize = 256 << 10 // no script is larger, and its parser recurses
	topSize    = 2 << 10   // what is read of a manifest: its metadata
)

// walk reads all that matters of the repository in root, which is a real path. Links are not followed: what they lead
// to inside the repository is read where it is.
func walk(root string) (*repo, error) {
	r := &repo{root: root, byDir: map[string][]*goFile{}, modules: newModules(root)}
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
			if info, err := d.Info(); err == nil && info.Size() <= headerSize {
				r.small = append(r.small, smallFile{rel, info.Size()})
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
		case *goFile:
			r.files = append(r.files, found)
			r.byDir[found.dir] = append(r.byDir[found.dir], found)
		case manifest:
			r.manifests = append(r.manifests, found)
		case role:
			r.roles = append(r.roles, found)
		case webhookFile:
			r.webhooks = append(r.webhooks, string(found))
		case textFile:
			if path.Base(found.path) == "go.mod" {
				r.modules.add(found.path, found.data)
				continue
			}
			r.texts = append(r.texts, found)
		}
	}
	return r, nil
}

// webhookFile is the path of webhook configurations.
type webhookFile string

// readOne reads a file and returns what is of use of it: a *goFile, a manifest, a role, a webhookFile, a textFile, or nil.
func readOne(root, rel string) (any, error) {
	full := filepath.Join(root, filepath.FromSlash(rel))
	switch path.Ext(rel) {
	case ".go":
		data, err := safefs.ReadFile(full, safefs.MaxFile)
		if err != nil {
			return nil, unreadable(err)
		}
		if f := newGoFile(rel, data); f != nil {
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
				return role{path: rel, names: names, form: form}, nil
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
	return textFile{rel, data}, nil
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

// exists tells whether the repository has a file or folder.
func (r *repo) exists(rel string) bool {
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return false
	}
	_, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(rel)))
	return err == nil
}
