// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// checks are the type checks of the packages of one module. What the check of a package read is remembered if nothing was wrong anywhere,
// so that after an edit only the packages are checked that see it.
type checks struct {
	run    *typeCheck
	env    *load.Env
	before keptChecks
	byDir  map[string]load.Target
	sums   map[string]string    // of directories, relative to the root
	known  map[string]keptCheck // those that hold, by the paths of the packages
}

// keptChecks are checks that found no errors.
type keptChecks struct {
	Dirs     []string // relative to the root
	Packages map[string]keptCheck
}

// keptCheck is what is known of a package: the directories that its check read, by their numbers, and the sum of their files.
type keptCheck struct {
	Dirs []int
	Sum  cache.Key
	// Lacks is the package that could not be loaded, for which it was not checked.
	Lacks string
}

// checkSome type-checks those packages of a module that were not checked before as they are now. The report is that of a check of all.
func (c *typeCheck) checkSome(ctx context.Context, env *load.Env, module string, pkgs []load.Target) (*load.Report, error) {
	h := cache.NewHash("checks")
	h.Add(program(), c.rel(module))
	h.Add(env.Fingerprint(c.root)...)
	entry := h.Key()
	k := &checks{run: c, env: env, byDir: map[string]load.Target{}, sums: map[string]string{}, known: map[string]keptCheck{}}
	c.results.Get(entry, &k.before)
	for _, t := range pkgs {
		k.byDir[c.rel(t.Dir)] = t
	}
	find := lacking{env, map[string]error{}}
	var rest []load.Target
	for _, t := range pkgs {
		one, ok := k.before.Packages[t.Path]
		if !ok || !k.holds(t, one) {
			rest = append(rest, t)
			continue
		}
		k.known[t.Path] = one
		if one.Lacks != "" {
			_, find.lost[t.Path] = env.Find(one.Lacks, false)
		}
	}
	report, err := load.TypeCheck(ctx, find, rest)
	if err != nil {
		return nil, err
	}
	now := k.kept(report)
	k.complete(report, find.lost)
	if len(rest) > 0 && len(report.Errors) == 0 {
		_ = c.results.Put(entry, now) // if not, all are checked again
	}
	return report, nil
}

// lacking finds packages. What is known to lack a package cannot be loaded either.
type lacking struct {
	*load.Env
	lost map[string]error
}

func (l lacking) Find(path string, fromStd bool) (load.Place, error) {
	if err := l.lost[path]; err != nil {
		return load.Place{}, err
	}
	return l.Env.Find(path, fromStd)
}

// holds reports whether a check would read and find the same. Others import the package from the disk, and so it must be there.
func (k *checks) holds(t load.Target, one keptCheck) bool {
	if place, err := k.env.Find(t.Path, false); err != nil || place.Dir != t.Dir || k.run.pending[k.run.rel(t.Dir)] {
		return false
	}
	if one.Lacks != "" {
		if _, err := k.env.Find(one.Lacks, false); err == nil {
			return false
		}
	}
	sum, ok := k.sum(t, k.before.dirs(one))
	return ok && sum == one.Sum
}

// sum is that of all that the check of a package reads.
func (k *checks) sum(t load.Target, dirs []string) (key cache.Key, ok bool) {
	h := cache.NewHash("check")
	h.Add(k.run.rel(t.Dir))
	h.Add(slices.Sorted(maps.Keys(t.Files))...)
	for _, dir := range dirs {
		if k.sums[dir] == "" {
			sources, err := k.sources(dir)
			if err != nil {
				return key, false
			}
			k.sums[dir] = sumOfSources(sources)
		}
		h.Add("in", dir, k.sums[dir])
	}
	return h.Key(), true
}

// sources are the files of a directory, as they will be.
func (k *checks) sources(dir string) ([]load.Source, error) {
	if t, ours := k.byDir[dir]; ours {
		return t.Sources(k.env)
	}
	return k.env.Sources(filepath.Join(k.run.root, filepath.FromSlash(dir)))
}

// complete adds to a report what is known of the packages that were not checked again.
func (k *checks) complete(report *load.Report, lost map[string]error) {
	for i, u := range report.Unchecked {
		report.Unchecked[i].Import = cmp.Or(k.known[u.Import].Lacks, u.Import)
	}
	for path, one := range k.known {
		for _, dir := range k.before.dirs(one) {
			report.Local = append(report.Local, filepath.Join(k.run.root, filepath.FromSlash(dir)))
		}
		if one.Lacks != "" {
			report.Unchecked = append(report.Unchecked, load.Unchecked{Path: path, Import: one.Lacks, Err: lost[path]})
		}
	}
	slices.SortFunc(report.Unchecked, func(a, b load.Unchecked) int { return cmp.Compare(a.Path, b.Path) })
	slices.Sort(report.Local)
	report.Local = slices.Compact(report.Local)
}

// kept is what is known after a check.
func (k *checks) kept(report *load.Report) keptChecks {
	now := keptChecks{Packages: map[string]keptCheck{}}
	numbers := map[string]int{}
	add := func(path string, one keptCheck, dirs []string) {
		one.Dirs = nil
		for _, dir := range dirs {
			if _, ok := numbers[dir]; !ok {
				numbers[dir], now.Dirs = len(now.Dirs), append(now.Dirs, dir)
			}
			one.Dirs = append(one.Dirs, numbers[dir])
		}
		now.Packages[path] = one
	}
	for path, one := range k.known {
		add(path, one, k.before.dirs(one))
	}
	lacks := map[string]string{}
	for _, u := range report.Unchecked {
		lacks[u.Path] = cmp.Or(k.known[u.Import].Lacks, u.Import)
	}
	for _, read := range report.Read {
		k.sums[k.run.rel(read.Dir)] = sumOfSources(read.Sources) // what was read counts, not what is there by now
	}
	for path, read := range report.Read {
		t := k.byDir[k.run.rel(read.Dir)]
		if _, old := now.Packages[path]; old || t.Path != path {
			continue
		}
		if _, err := k.env.Find(lacks[path], false); lacks[path] != "" && err == nil {
			continue // it is there, but does not load
		}
		dirs := map[string]bool{}
		for _, to := range read.Leads {
			if at, ok := report.Read[to]; ok {
				dirs[k.run.rel(at.Dir)] = true
			}
			for _, dir := range k.before.dirs(k.known[to]) {
				dirs[dir] = true
			}
		}
		in := slices.Sorted(maps.Keys(dirs))
		if sum, ok := k.sum(t, in); ok {
			add(path, keptCheck{Sum: sum, Lacks: lacks[path]}, in)
		}
	}
	return now
}

func (k keptChecks) dirs(one keptCheck) (dirs []string) {
	for _, n := range one.Dirs {
		dirs = append(dirs, k.Dirs[n])
	}
	return dirs
}

func sumOfSources(sources []load.Source) string {
	h := cache.NewHash("sources of a directory")
	for _, source := range sources {
		h.Add(source.Name, string(source.Sum[:]))
	}
	key := h.Key()
	return string(key[:])
}
