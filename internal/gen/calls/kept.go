// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/sums"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// kept finds and keeps what calls made of the same sources, with the same settings, by the same program.
//
// As for the generators of code-generator there are two steps: a first key, of the settings and of how Go builds, leads to the
// directories that the call read, and a second one, of the files in these and below the paths of the call, to the result.
type kept struct {
	root     string
	settings config.ControllerGen
	store    *cache.Store
	sums     *sums.Sums
	started  time.Time
	common   []string     // what all calls depend on; nil where nothing can be kept
	fixed    []string     // directories whose files never change
	walk     func() below // once
}

// inputs are what a call read.
type inputs struct {
	// Dirs are the directories of packages, and Modules those of go.mod files, all relative to the root.
	Dirs, Modules []string
}

func newKept(ctx context.Context, root string, settings config.ControllerGen, only []string, store *cache.Store, program string) *kept {
	k := &kept{root: root, settings: settings, store: store, started: time.Now()}
	k.walk = sync.OnceValue(func() below { return walk(root, bases(settings.Calls)) })
	if store == nil {
		return k
	}
	var env map[string]string
	var group sync.WaitGroup
	group.Go(func() { env = goEnv(ctx, root) })
	group.Go(func() { k.walk() })
	k.sums = sums.Open(store, root)
	group.Wait()
	if env == nil {
		return k
	}
	k.common = []string{program, strings.Join(only, " ")}
	for _, name := range variables {
		k.common = append(k.common, name+"="+env[name])
	}
	for _, name := range []string{"GOROOT", "GOMODCACHE"} {
		if env[name] != "" {
			k.fixed = append(k.fixed, env[name]+string(filepath.Separator))
		}
	}
	return k
}

// variables are those of "go env" that decide what is loaded.
var variables = []string{
	"GOVERSION", "GOROOT", "GOMODCACHE", "GOOS", "GOARCH", "CGO_ENABLED", "GOFLAGS", "GOEXPERIMENT", "GOWORK", "GO111MODULE", "GOAMD64", "GOARM", "GOARM64",
}

// goEnv is how the go command builds in a directory; nil where that is not known, or depends on files that flags name.
func goEnv(ctx context.Context, dir string) (env map[string]string) {
	env, err := load.Vars(ctx, dir, append(os.Environ(), "PWD="+dir))
	if err != nil || namesFiles(env["GOFLAGS"]) {
		return nil
	}
	return env
}

// namesFiles reports whether flags of the go command name files that replace others.
func namesFiles(flags string) bool {
	return strings.Contains(flags, "-modfile") || strings.Contains(flags, "-overlay")
}

// first is the key of all that a call depends on but Go files and modules.
func (k *kept) first(i int) (key cache.Key, ok bool) {
	c := k.settings.Calls[i]
	c.Version = Version(k.settings, i)
	text, err := json.Marshal(c)
	if err != nil || k.common == nil || namesFiles(c.Env["GOFLAGS"]) {
		return key, false
	}
	h := cache.NewHash("call of controller-gen")
	h.Add(k.common...)
	h.Add(string(text))
	files := headers(&c)
	if work := c.Env["GOWORK"]; work != "" && work != "off" {
		files = append(files, work)
	}
	for _, file := range files {
		if !path.IsAbs(file) {
			file = path.Join(c.Dir, file)
		}
		h.Add(file, k.content(file))
	}
	if c.SchemaPatch != nil {
		dir := path.Join(c.Dir, c.SchemaPatch.Manifests)
		entries, err := os.ReadDir(filepath.Join(k.root, filepath.FromSlash(dir)))
		if err != nil {
			return key, false
		}
		for _, e := range entries {
			if !e.IsDir() {
				h.Add(e.Name(), k.content(path.Join(dir, e.Name())))
			}
		}
	}
	return h.Key(), true
}

// headers are the files with headers that a call reads.
func headers(c *config.ControllerGenCall) (files []string) {
	for _, name := range c.Generators() {
		if h := c.Header(name); h != nil {
			files = append(files, h.HeaderFile)
		}
	}
	if c.ApplyConfiguration != nil {
		files = append(files, c.ApplyConfiguration.HeaderFile)
	}
	return slices.DeleteFunc(files, func(file string) bool { return file == "" })
}

// content is that of a file as a part of a key.
func (k *kept) content(file string) string {
	if !path.IsAbs(file) {
		file = filepath.Join(k.root, filepath.FromSlash(file))
	}
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	if err != nil {
		return "missing"
	}
	return "has " + string(data)
}

// second is the key of a call's result. since is set where what changed after that time cannot be relied on.
func (k *kept) second(i int, first cache.Key, read inputs, since *time.Time) (key cache.Key, ok bool) {
	c := k.settings.Calls[i]
	dirs, modules := k.walk().of(&c)
	dirs = append(dirs, read.Dirs...)
	modules = append(modules, read.Modules...)
	slices.Sort(dirs)
	slices.Sort(modules)
	dirs, modules = slices.Compact(dirs), slices.Compact(modules)
	files, err := k.sums.Dirs(dirs)
	if err != nil {
		return key, false
	}
	h := cache.NewHash("result of a call of controller-gen")
	h.Add(string(first[:]))
	for _, dir := range dirs {
		h.Add(dir)
		if since != nil && k.sums.Since(dir, *since) {
			return key, false
		}
		for _, f := range files[dir] {
			if f.Generated && len(c.BuildTags) == 0 {
				continue
			}
			if since != nil && f.Changed >= since.UnixNano() {
				return key, false
			}
			h.Add(f.Name, string(f.Sum[:]))
		}
	}
	for _, dir := range modules {
		for _, name := range []string{"go.mod", "go.sum", "go.work", "go.work.sum", "vendor/modules.txt"} {
			h.Add(path.Join(dir, name), k.content(path.Join(dir, name)))
		}
	}
	return h.Key(), true
}

// get is what a call made before of the very same; nil if it did not, or nothing was kept.
func (k *kept) get(i int) *result {
	first, ok := k.first(i)
	if !ok {
		return nil
	}
	var read inputs
	if !k.store.Get(first, &read) {
		return nil
	}
	second, ok := k.second(i, first, read, nil)
	if !ok {
		return nil
	}
	var r result
	if !k.store.Get(second, &r) {
		return nil
	}
	return &r
}

// put keeps what calls made, and the sums of files. dirs are the directories that each of them read.
func (k *kept) put(calls []int, results []*result, dirs [][]string) error {
	if k.common == nil {
		return nil
	}
	for n, i := range calls {
		first, ok := k.first(i)
		if !ok {
			continue
		}
		read, err := k.inputs(dirs[n])
		if err != nil {
			return err
		}
		second, ok := k.second(i, first, read, &k.started)
		if !ok {
			continue
		}
		if err := k.store.Put(second, results[i]); err != nil {
			return err
		}
		if err := k.store.Put(first, read); err != nil {
			return err
		}
	}
	return k.sums.Save()
}

// inputs are directories as the store has them, with their modules.
func (k *kept) inputs(dirs []string) (read inputs, err error) {
	for _, dir := range dirs {
		if slices.ContainsFunc(k.fixed, func(fixed string) bool { return strings.HasPrefix(dir, fixed) }) {
			continue
		}
		module := workspace.Above(dir, "go.mod")
		for _, one := range []struct {
			dir string
			to  *[]string
		}{{dir, &read.Dirs}, {module, &read.Modules}} {
			rel, err := filepath.Rel(k.root, one.dir)
			if err != nil {
				return read, err
			}
			*one.to = append(*one.to, filepath.ToSlash(rel))
		}
	}
	if work := workspace.Above(k.root, "go.work"); work != "" {
		rel, err := filepath.Rel(k.root, work)
		if err != nil {
			return read, err
		}
		read.Modules = append(read.Modules, filepath.ToSlash(rel))
	}
	slices.Sort(read.Modules)
	read.Modules = slices.Compact(read.Modules)
	return read, nil
}
