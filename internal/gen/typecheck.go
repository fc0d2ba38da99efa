// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/explain"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/internal/workspace"
)

// TypeCheck type-checks all packages with generated Go files, as they will be once changes are written. What it found
// without errors is remembered, for the result and for each package, and not checked again before something changes. notes name what could not be
// checked. Code that does not compile is a [*CompileError].
func (r *Result) TypeCheck(ctx context.Context, changes []tree.Change) (notes []string, err error) {
	if len(r.modules) > 0 {
		return r.typeCheckModules(ctx, changes)
	}
	c := &typeCheck{generation: r.run, tree: r.Tree, gone: map[string]bool{}, pending: map[string]bool{}, modules: workspace.ImportPaths{}}
	for _, change := range changes {
		c.pending[path.Dir(change.Path)] = true
		if change.Op == tree.Delete {
			c.gone[change.Path] = true
		}
	}
	if r.run.known != nil {
		if before, ok := c.remembered(r.run.known); ok {
			return before.Notes, before.err()
		}
	}
	var now verdictKept
	var errs []load.TypeError
	modules := c.byModule()
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		report, err := c.check(ctx, module, modules[module])
		if err != nil {
			return nil, err
		}
		if err := explain.MisnamedPackages(c.root, c.scan.Sources, c.modules, report.Unchecked); err != nil {
			return nil, &CompileError{error: err, Cause: Broken}
		}
		errs = append(errs, c.withoutOthers(report.Errors)...)
		now.Notes = append(now.Notes, c.unchecked(report.Unchecked)...)
		now.Dirs = append(now.Dirs, report.Local...)
		for _, u := range report.Unchecked {
			now.Missing = append(now.Missing, u.Import)
		}
	}
	if len(errs) > 0 {
		var uncompiled *CompileError
		if err = c.explain(errs); !errors.As(err, &uncompiled) || uncompiled.Cause != Outdated {
			return now.Notes, err
		}
		now.Outdated = err.Error()
	}
	if notes = now.Notes; r.run.known != nil {
		notes = append(notes, c.remember(r.run.known, now)...)
	}
	return notes, err
}

// typeCheck is one call of TypeCheck.
type typeCheck struct {
	*generation
	tree    *tree.Tree
	gone    map[string]bool
	pending map[string]bool // directories in which files are about to change
	modules workspace.ImportPaths
}

// byModule are the packages with generated Go files, by the directory of their module.
func (c *typeCheck) byModule() map[string][]load.Target {
	byDir := map[string]*load.Target{}
	made := map[string]bool{} // the directories with files of generators: other code is the scaffold's
	for file := range c.generators {
		made[path.Dir(file)] = true
	}
	for _, file := range c.tree.Paths() {
		// The deep copies of controller-gen are what clients compile with.
		if path.Ext(file) != ".go" || !made[path.Dir(file)] && (len(made) == 0 || c.called[file] == "") {
			continue
		}
		dir := filepath.Join(c.root, filepath.FromSlash(path.Dir(file)))
		if byDir[dir] == nil {
			byDir[dir] = &load.Target{Dir: dir, Path: c.importPath(path.Dir(file), dir), Files: map[string][]byte{}, Gone: map[string]bool{}}
		}
		byDir[dir].Files[path.Base(file)], _ = c.tree.Content(file)
	}
	for file := range c.gone {
		if p := byDir[filepath.Join(c.root, filepath.FromSlash(path.Dir(file)))]; p != nil {
			p.Gone[path.Base(file)] = true
		}
	}
	modules := map[string][]load.Target{}
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		at := workspace.Above(dir, "go.mod")
		byDir[dir].GoVersion = goVersion(at)
		modules[at] = append(modules[at], *byDir[dir])
	}
	return modules
}

// withoutOthers leaves out the errors in files of controller-gen, which writes what does not compile as well, and in those that stay as a script
// left them.
func (c *typeCheck) withoutOthers(errs []load.TypeError) []load.TypeError {
	return slices.DeleteFunc(errs, func(e load.TypeError) bool {
		rel, err := filepath.Rel(c.root, e.Pos.Filename)
		file := filepath.ToSlash(rel)
		return err == nil && (c.called[file] != "" || slices.ContainsFunc(c.changed, func(n tree.NotCompared) bool { return slices.Contains(n.Paths, file) }))
	})
}

// importPath is the path by which other generated packages import a directory.
func (c *typeCheck) importPath(dir, abs string) string {
	for _, client := range c.settings.Clients {
		if rel, ok := strings.CutPrefix(dir+"/", client.Dir+"/"); ok && client.Package != "" {
			return path.Join(client.Package, rel)
		}
	}
	p, err := c.modules.Of(abs)
	if err != nil {
		return dir // it is in no module; what it imports cannot be loaded
	}
	return p
}

// goVersion is the version of Go in the go.mod of a directory, or "".
func goVersion(dir string) string {
	data, err := safefs.ReadFile(filepath.Join(dir, "go.mod"), safefs.MaxFile)
	if err != nil {
		return ""
	}
	if file, err := modfile.ParseLax("go.mod", data, nil); err == nil && file.Go != nil {
		return file.Go.Version
	}
	return ""
}

// check type-checks packages of the module in a directory.
func (c *typeCheck) check(ctx context.Context, module string, pkgs []load.Target) (*load.Report, error) {
	env := c.env
	if module != workspace.Above(c.dir, "go.mod") {
		var err error
		if env, err = load.NewEnv(ctx, module); err != nil && !errors.Is(err, load.ErrUnsupported) {
			return nil, err
		}
	}
	switch {
	case env == nil:
		return load.TypeCheck(ctx, load.NewListed(module), pkgs)
	case c.results == nil:
		return load.TypeCheck(ctx, env.WithTags(), pkgs)
	}
	return c.checkSome(ctx, env.WithTags(), module, pkgs)
}

// rel is a directory relative to the root, with slashes.
func (c *typeCheck) rel(dir string) string {
	rel, err := filepath.Rel(c.root, dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(rel)
}

// unchecked says what was not checked, in one note for each package that cannot be loaded, and in one for each module that is not
// downloaded, at the tag that names the package if there is one.
func (c *typeCheck) unchecked(all []load.Unchecked) (notes []string) {
	byCause := map[string][]load.Unchecked{}
	for _, u := range all {
		cause := u.Import
		if missing, ok := errors.AsType[*load.NotDownloaded](u.Err); ok {
			cause = missing.Module
		}
		byCause[cause] = append(byCause[cause], u)
	}
	for _, cause := range slices.Sorted(maps.Keys(byCause)) {
		some := byCause[cause]
		what, imported := text.AndMore(some[0].Path, len(some)-1), some[0].Import
		why, hint := strings.TrimPrefix(some[0].Err.Error(), load.ErrUnsupported.Error()+": "), `run "go mod tidy"`
		at := ""
		for _, tag := range explain.TagsNaming(c.root, c.scan.Sources, imported) {
			at += tag.String() + ": "
		}
		if missing := (*load.NotDownloaded)(nil); errors.As(some[0].Err, &missing) {
			notes = append(notes, fmt.Sprintf("%s%s %s is not downloaded yet, so what imports it was not type-checked (%s); \"go mod download\" or the first build downloads it", at, missing.Module, missing.Version, what))
			continue
		}
		notes = append(notes, fmt.Sprintf("%snot type-checked: %s: cannot load %s: %s; %s", at, what, imported, why, hint))
	}
	return notes
}

// verdictKept is what is known of a result: the directories that its check read, the packages that it did not find, and what it said.
type verdictKept struct {
	Dirs, Missing, Notes []string
	Outdated             string
}

func (v verdictKept) err() error {
	if v.Outdated == "" {
		return nil
	}
	return &CompileError{error: errors.New(v.Outdated), Cause: Outdated}
}

// compiledKey is the key of a result's check, given the directories that it read.
func (c *typeCheck) compiledKey(known *knownResult, dirs []string) (cache.Key, error) {
	h := cache.NewHash("compiled")
	h.Add(string(known.key[:]))
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(c.root, filepath.FromSlash(dir)))
		if err != nil && !os.IsNotExist(err) {
			return cache.Key{}, err
		}
		h.Add(dir)
		for _, e := range entries {
			file := path.Join(dir, e.Name())
			if c.called[file] != "" {
				content, _ := c.tree.Content(file)
				h.Add(file, string(content))
				continue
			}
			if _, generated := c.tree.Content(file); generated || c.gone[file] || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || !e.Type().IsRegular() {
				continue
			}
			h.Add(file, sumOf(filepath.Join(c.root, filepath.FromSlash(file))))
		}
	}
	return h.Key(), nil
}

// remembered is the verdict on the very same, if it was checked before and what was missing then still is. A first key leads to the
// directories that the check read, and a second one, of their files, to the verdict.
func (c *typeCheck) remembered(known *knownResult) (before verdictKept, ok bool) {
	var dirs []string
	first, err := c.compiledKey(known, nil)
	if err != nil || !known.store.Get(first, &dirs) {
		return before, false
	}
	all, err := c.compiledKey(known, dirs)
	ok = err == nil && known.store.Get(all, &before) && !slices.ContainsFunc(before.Missing, c.env.Has)
	return before, ok
}

// remember keeps the verdict on a result. That it cannot be kept is a note.
func (c *typeCheck) remember(known *knownResult, now verdictKept) []string {
	for i, dir := range now.Dirs {
		rel, err := filepath.Rel(c.root, dir)
		if err != nil {
			return nil
		}
		now.Dirs[i] = filepath.ToSlash(rel)
	}
	modules := c.byModule()
	if len(now.Dirs) == 0 || c.env == nil || len(modules) > 1 || modules[workspace.Above(c.dir, "go.mod")] == nil {
		return nil // the key does not know what other modules require
	}
	first, firstErr := c.compiledKey(known, nil)
	all, allErr := c.compiledKey(known, now.Dirs)
	if firstErr != nil || allErr != nil {
		return nil
	}
	if err := errors.Join(known.store.Put(all, now), known.store.Put(first, now.Dirs)); err != nil {
		return []string{err.Error()}
	}
	return nil
}
