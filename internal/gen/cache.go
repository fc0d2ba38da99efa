// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"context"
	"maps"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/load"
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
// There are two steps, since which directories count is known only after the packages were loaded: a first key, of the settings
// and all that people wrote in the API directories, leads to the list of those directories, and a second one, of all files that
// a load would read in them, to the result.
type cached struct {
	store *cache.Store
	run   *generation
	env   *load.Env // the run gives up its own where its generators fail
	o     Options
	first cache.Key
}

// newCached makes the first key.
func newCached(store *cache.Store, g *generation, o Options) (*cached, error) {
	first, err := g.firstKey(o, g.env, g.header, g.scan.Sources)
	return &cached{store: store, run: g, env: g.env, o: o, first: first}, err
}

// knownResult is a result that is kept, by its key.
type knownResult struct {
	store *cache.Store
	key   cache.Key
}

// get is the result and its key, if it was made before.
func (c *cached) get() (*made, cache.Key, bool) {
	var dirs []string
	if !c.store.Get(c.first, &dirs) {
		return nil, cache.Key{}, false
	}
	now, err := c.read(dirs)
	if err != nil {
		return nil, cache.Key{}, false
	}
	var m made
	key := c.second(now)
	return &m, key, c.store.Get(key, &m)
}

// put keeps a result that was made of the files in directories. If any file is another by now, it is unknown which of the two
// each generator saw, and nothing is kept: there is no key.
func (c *cached) put(ctx context.Context, m *made, loaded map[string][]load.Source) (key cache.Key, err error) {
	local := map[string][]load.Source{}
	for dir, sources := range loaded {
		rel, err := filepath.Rel(c.run.root, dir)
		if err != nil {
			return key, err
		}
		local[filepath.ToSlash(rel)] = sources
	}
	dirs := slices.Sorted(maps.Keys(local))
	second := c.second(local)
	now, err := c.read(dirs)
	if err != nil || c.second(now) != second || c.edited(ctx) {
		return key, nil //nolint:nilerr // the next run reads anew
	}
	if err := c.store.Put(second, m); err != nil {
		return key, err
	}
	return second, c.store.Put(c.first, dirs)
}

// read are the files that a load would read in directories now, side by side.
func (c *cached) read(dirs []string) (map[string][]load.Source, error) {
	all := make([][]load.Source, len(dirs))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, dir := range dirs {
		group.Go(func() (err error) {
			all[i], err = c.env.Sources(filepath.Join(c.run.root, filepath.FromSlash(dir)))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	read := map[string][]load.Source{}
	for i, dir := range dirs {
		read[dir] = all[i]
	}
	return read, nil
}

// second is the key of the result, given all files that were read, by directory.
func (c *cached) second(local map[string][]load.Source) cache.Key {
	h := cache.NewHash("result")
	h.Add(string(c.first[:]))
	for _, dir := range slices.Sorted(maps.Keys(local)) {
		h.Add(dir)
		for _, source := range local[dir] {
			h.Add(source.Name, string(source.Sum[:]))
		}
	}
	return h.Key()
}
