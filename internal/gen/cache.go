package gen

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/results"
	"github.com/crdctl/crdctl/internal/project"
)

// made is what generators made: what the cache keeps.
type made struct {
	// Files have paths relative to the root, and the word YEAR in their headers.
	Files     []codegen.File
	Manifests map[string][]byte // CRDs, by file name
	Role      []byte
	Notes     []string
}

// cached finds and keeps what was made of the same sources, with the same settings, by the same program. An edit, a new
// file, another Go, module or crdctl is another key: nothing is ever looked at by its age.
//
// There are two steps, since which files outside of the API folders count is known only after they were loaded: a first
// key, of the settings and all sources in the API folders, leads to the list of those others, and a second one, of
// the contents of these, to the result.
type cached struct {
	store *results.Store
	root  string
	first results.Key
}

// newCached makes the first key.
func newCached(store *results.Store, g *generation, o Options) (*cached, error) {
	root, plan := g.root, g.plan
	settings, err := json.Marshal(struct {
		*project.Project
		Only       []string
		Discovered bool
	}{g.settings, o.Only, o.Discovered})
	if err != nil {
		return nil, err
	}
	h := results.NewHash("sources")
	h.Add(program(), g.version.Version, string(settings), string(g.header.Boilerplate), fmt.Sprint(g.header.Boilerplate == nil))
	h.Add(g.env.Fingerprint(root)...)
	for _, one := range plan.Generators {
		h.Add(one.Name, strings.ReplaceAll(strings.Join(one.Flags, "\x00"), root, ""), strings.Join(one.Inputs, "\x00"))
	}
	h.Add(plan.CRDs...)
	h.Add(plan.RBAC...)
	for _, file := range slices.Sorted(maps.Keys(plan.sources)) {
		sum := plan.sources[file]
		h.Add(file, string(sum[:]))
	}
	for _, file := range plan.reads {
		h.Add(file, sumOf(filepath.Join(root, file)))
	}
	h.Add(plan.expansions(root)...)
	return &cached{store: store, root: root, first: h.Key()}, nil
}

// get is the result, if it was made before.
func (c *cached) get() (*made, bool) {
	var others []string
	if !c.store.Get(c.first, &others) {
		return nil, false
	}
	var m made
	return &m, c.store.Get(c.second(others), &m)
}

// put keeps a result that was made of the files.
func (c *cached) put(m *made, files []string, sources map[string][sha256.Size]byte) error {
	var others []string
	for _, file := range files {
		rel, err := filepath.Rel(c.root, file)
		if err != nil {
			return err
		}
		if _, ok := sources[filepath.ToSlash(rel)]; !ok {
			others = append(others, filepath.ToSlash(rel))
		}
	}
	slices.Sort(others)
	if err := c.store.Put(c.second(others), m); err != nil {
		return err
	}
	return c.store.Put(c.first, others)
}

// second is the key of the result, given the local files outside of the API folders. The names of the Go files beside
// them are part of it: a new file may belong to the package.
func (c *cached) second(others []string) results.Key {
	h := results.NewHash("result")
	h.Add(string(c.first[:]))
	folders := map[string]bool{}
	for _, file := range others {
		h.Add(file, sumOf(filepath.Join(c.root, filepath.FromSlash(file))))
		folders[filepath.Dir(filepath.Join(c.root, filepath.FromSlash(file)))] = true
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		names, _ := filepath.Glob(filepath.Join(folder, "*.go")) // the pattern is well-formed
		for _, name := range names {
			if src, err := os.ReadFile(name); err == nil && !codegen.IsGenerated(src) {
				h.Add(filepath.Base(name))
			}
		}
	}
	return h.Key()
}

// sumOf is the sum of a file's content; a file that can't be read has none.
func sumOf(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(data)
	return string(sum[:])
}

// program is this very program: its versions, and of a build from a working tree the executable's time and size.
func program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return time.Now().String() // never the same
	}
	var file string
	if path, err := os.Executable(); err == nil {
		if stat, err := os.Stat(path); err == nil {
			file = fmt.Sprint(stat.Size(), stat.ModTime().UnixNano())
		}
	}
	return fmt.Sprint(info.Main.Version, info.Main.Sum, info.GoVersion, codegen.Version, file)
}

// expansions are hand-written files among generated ones, by whose mere names generators write other code.
func (p *Plan) expansions(root string) []string {
	var names []string
	for _, a := range p.areas {
		if a.file != "" {
			continue
		}
		_ = fs.WalkDir(os.DirFS(root), a.dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir // there is nothing yet
			}
			if strings.HasSuffix(path, "_expansion.go") || strings.HasSuffix(path, "register_custom.go") {
				if !strings.HasSuffix(path, "/generated_expansion.go") {
					names = append(names, path)
				}
			}
			return nil
		})
	}
	slices.Sort(names)
	return names
}
