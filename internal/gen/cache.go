package gen

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/load"
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

	cached bool
}

// cached finds and keeps what was made of the same sources, with the same settings, by the same program. An edit, a new
// file, another Go, module or crdctl is another key: nothing is ever looked at by its age.
//
// There are two steps, since which folders count is known only after the packages were loaded: a first key, of the settings
// and all that people wrote in the API folders, leads to the list of those folders, and a second one, of all files that
// a load would read in them, to the result.
type cached struct {
	store   *results.Store
	root    string
	env     *load.Env
	sources map[string][sha256.Size]byte
	first   results.Key
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
	return &cached{store: store, root: root, env: g.env, sources: plan.sources, first: h.Key()}, nil
}

// get is the result, if it was made before.
func (c *cached) get() (*made, bool) {
	var folders []string
	if !c.store.Get(c.first, &folders) {
		return nil, false
	}
	now, err := c.read(folders)
	if err != nil {
		return nil, false
	}
	var m made
	return &m, c.store.Get(c.second(now), &m)
}

// put keeps a result that was made of the files in folders. If any file is another by now, nobody knows which of the two
// each generator saw, and nothing is kept.
func (c *cached) put(m *made, loaded map[string][]load.Source) error {
	local := map[string][]load.Source{}
	for dir, sources := range loaded {
		rel, err := filepath.Rel(c.root, dir)
		if err != nil {
			return err
		}
		local[filepath.ToSlash(rel)] = sources
	}
	folders := slices.Sorted(maps.Keys(local))
	now, err := c.read(folders)
	if err != nil || c.second(now) != c.second(local) || c.edited() {
		return nil //nolint:nilerr // the next run reads anew
	}
	if err := c.store.Put(c.second(local), m); err != nil {
		return err
	}
	return c.store.Put(c.first, folders)
}

// edited tells whether a source is another one than when the first key was made.
func (c *cached) edited() bool {
	for file, sum := range c.sources {
		if sumOf(filepath.Join(c.root, filepath.FromSlash(file))) != string(sum[:]) {
			return true
		}
	}
	return false
}

// read are the files that a load would read in folders now, side by side.
func (c *cached) read(folders []string) (map[string][]load.Source, error) {
	all := make([][]load.Source, len(folders))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, dir := range folders {
		group.Go(func() (err error) {
			all[i], err = c.env.Sources(filepath.Join(c.root, filepath.FromSlash(dir)))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	read := map[string][]load.Source{}
	for i, dir := range folders {
		read[dir] = all[i]
	}
	return read, nil
}

// second is the key of the result, given all files that were read, by folder.
func (c *cached) second(local map[string][]load.Source) results.Key {
	h := results.NewHash("result")
	h.Add(string(c.first[:]))
	for _, dir := range slices.Sorted(maps.Keys(local)) {
		h.Add(dir)
		for _, source := range local[dir] {
			h.Add(source.Name, string(source.Sum[:]))
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
