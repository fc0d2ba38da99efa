// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// engineFiles are what one generator made in an engine, and the key of its settings.
type engineFiles struct {
	generator codegen.Generator
	first     cache.Key
	files     []codegen.File // those of all that ran with it
}

// keptInEngines are the generators in engines of which it is known what they read: the packages that they are told, and what these import.
// Others also look at files next to their output.
var keptInEngines = map[string]bool{"validation-gen": true}

// engineKey is that of the settings of a generator in an engine.
func (g *generation) engineKey(one codegen.Generator) cache.Key {
	h := cache.NewHash("engine")
	h.Add(program(), g.version.Version, string(g.header.Boilerplate), fmt.Sprint(g.header.Boilerplate == nil))
	h.Add(g.env.Fingerprint(g.root)...)
	h.Add(one.Name, strings.ReplaceAll(strings.Join(one.Flags, "\x00"), g.root, ""))
	h.Add(one.Inputs...)
	h.Add("may load")
	h.Add(g.mayLoad()...)
	return h.Key()
}

// filesKey adds the files of directories, which are relative to the root.
func filesKey(first cache.Key, local map[string][]load.Source) cache.Key {
	h := cache.NewHash("engine files")
	h.Add(string(first[:]))
	for _, dir := range slices.Sorted(maps.Keys(local)) {
		h.Add(dir)
		for _, source := range local[dir] {
			h.Add(source.Name, string(source.Sum[:]))
		}
	}
	return h.Key()
}

// keptEngine are the files of the generators in engines whose packages are those of an earlier run, and the generators that remain.
func (g *generation) keptEngine(gens []codegen.Generator) (files []codegen.File, rest []codegen.Generator) {
	if g.env == nil || g.results == nil {
		return nil, gens
	}
	for _, one := range gens {
		kept, ok := g.keptEngineOf(one)
		if !ok {
			rest = append(rest, one)
			continue
		}
		for _, f := range kept {
			f.Path = filepath.Join(g.root, filepath.FromSlash(f.Path))
			files = append(files, f)
		}
	}
	return files, rest
}

func (g *generation) keptEngineOf(one codegen.Generator) (files []codegen.File, ok bool) {
	var dirs []string
	if !keptInEngines[one.Name] {
		return nil, false
	}
	first := g.engineKey(one)
	if !g.results.Get(first, &dirs) {
		return nil, false
	}
	now, err := (&cached{run: g, env: g.env}).read(dirs)
	if err != nil {
		return nil, false
	}
	return files, g.results.Get(filesKey(first, now), &files)
}

// noteEngine remembers what generators in engines made, for keepEngine. Where one had something to say, all run again.
func (g *generation) noteEngine(gens []codegen.Generator, files []codegen.File, notes []string) {
	if g.env == nil || g.results == nil || len(notes) > 0 {
		return
	}
	for _, one := range gens {
		if keptInEngines[one.Name] {
			g.inEngines = append(g.inEngines, engineFiles{generator: one, first: g.engineKey(one), files: slices.Clone(files)})
		}
	}
}

// keepEngine keeps what generators in engines made, after a run in which nothing changed.
func (g *generation) keepEngine() error {
	for _, made := range g.inEngines {
		local, ok := g.closure(slices.Concat(made.generator.Inputs, g.more))
		if !ok {
			continue
		}
		var files []codegen.File
		for _, f := range made.files {
			// It writes next to what it reads, and each directory is read by one run of it.
			if f.Generator != made.generator.Name || !slices.ContainsFunc(made.generator.Inputs, func(path string) bool { return g.dirOf(path) == filepath.Dir(f.Path) }) {
				continue
			}
			rel, err := filepath.Rel(g.root, f.Path)
			if err != nil {
				return err
			}
			f.Path = filepath.ToSlash(rel)
			files = append(files, f)
		}
		if err := g.results.Put(filesKey(made.first, local), files); err != nil {
			return err
		}
		if err := g.results.Put(made.first, slices.Sorted(maps.Keys(local))); err != nil {
			return err
		}
	}
	return nil
}

// dirOf is the directory of a package that was loaded.
func (g *generation) dirOf(path string) string {
	if pkg := g.graph.Packages[path]; pkg != nil && len(pkg.GoFiles) > 0 {
		return filepath.Dir(pkg.GoFiles[0])
	}
	return ""
}

// closure are the files of packages and of all that these import, as they were loaded, by directory. It is not known if one of the
// packages was not loaded.
func (g *generation) closure(paths []string) (local map[string][]load.Source, ok bool) {
	local = map[string][]load.Source{}
	seen := map[string]bool{}
	for queue := slices.Clone(paths); len(queue) > 0; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		pkg := g.graph.Packages[queue[0]]
		dir := g.dirOf(queue[0])
		if dir == "" {
			return nil, false
		}
		if sources, changes := g.local[dir]; changes {
			rel, err := filepath.Rel(g.root, dir)
			if err != nil {
				return nil, false
			}
			local[filepath.ToSlash(rel)] = sources
		}
		for _, imported := range pkg.Imports {
			if imported == nil {
				return nil, false
			}
			queue = append(queue, imported.PkgPath)
		}
	}
	return local, true
}
