// SPDX-License-Identifier: Apache-2.0

// Package gen decides what a project's generated files are and makes them, in memory.
//
// generate and verify are both Generate: one writes the tree that it returns, the other compares it. Generate never
// writes, and knows neither the command line nor who calls it.
package gen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/cache"
	"github.com/crdctl/crdctl/internal/gen/calls"
	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/crdgen"
	"github.com/crdctl/crdctl/internal/gen/explain"
	"github.com/crdctl/crdctl/internal/gen/goenv"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/gen/plan"
	"github.com/crdctl/crdctl/internal/gen/scan"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/tree"
)

// Names are the short names of all generators: those of code-generator in the order in which they run, and those that only
// controller-gen has. deepcopy and object are two names of one thing.
var Names = slices.Concat(plan.Names, []string{"object", "webhook", "schemapatch"})

// Options are how a generation differs from that of everything, today.
type Options struct {
	// Only are the short names of the generators to run; see Names. Empty means all.
	Only []string
	// Year is that of files that are new.
	Year int
	// UpdateReport accepts the API rule violations that there are, as the report to hold the next ones against.
	UpdateReport bool
	// Discovered tells that the tree itself is the configuration: mistakes in tags are notes, since the project generates
	// in spite of them, and a file that another tool made stays that tool's, whatever tags say.
	Discovered bool
	// Partial makes what can be made though a module or a version is unavailable for the rest, which is in NotCompared then.
	Partial bool
	// Results keeps what was made, to be used again where nothing changed. nil keeps nothing.
	Results *cache.Store
}

// Result is what a generation made.
type Result struct {
	// Tree has the generated files, relative to the root, and the areas where they are all there should be.
	Tree *tree.Tree
	// Notes are what the generators had to say without failing.
	Notes []string
	// Cached tells that the files were made before, of the very same.
	Cached bool
	// Generators is the version that made the Go code.
	Generators Generators
	// PostProcessed are the generators of files that are as they should be though they are not in the tree: scripts change them, and
	// they have all that was generated. NotCompared are those of which that cannot be said, and those that could not be made.
	PostProcessed map[string]string
	NotCompared   []tree.NotCompared
	// Undetermined is the error of what could not be made here, and can be where a module or a version is available.
	Undetermined error

	run     *generation
	modules []*Result // those of which this one consists; none where all packages were loaded together
}

// Compared are the paths of the files that the answer is about, sorted.
func (r *Result) Compared() []string {
	return slices.DeleteFunc(slices.Sorted(slices.Values(slices.AppendSeq(r.Tree.Paths(), maps.Keys(r.PostProcessed)))), r.left())
}

// left reports whether a file is not compared.
func (r *Result) left() func(file string) bool {
	left := map[string]bool{}
	for _, n := range r.NotCompared {
		for _, file := range n.Paths {
			left[file] = true
		}
	}
	return func(file string) bool { return left[file] }
}

// Makers are the generators of all files that were made and compared, by path.
func (r *Result) Makers() map[string]string {
	makers := map[string]string{}
	for _, m := range slices.Backward(r.modules) {
		maps.Copy(makers, m.Makers())
	}
	if r.run == nil {
		return makers
	}
	maps.Copy(makers, r.run.generators)
	for _, file := range r.Tree.Paths() {
		if makers[file] == "" && path.Ext(file) == ".yaml" {
			makers[file] = calls.Tool // crdctl's own settings ask for them
		}
	}
	maps.Copy(makers, r.run.called)
	maps.Copy(makers, r.PostProcessed)
	left := r.left()
	maps.DeleteFunc(makers, func(file, _ string) bool { return left(file) })
	return makers
}

// Generate makes all generated files of the project in root.
func Generate(ctx context.Context, root string, p *config.Project, o Options) (*Result, error) {
	memory := goenv.New(o.Results, root)
	ctx = load.WithMemory(ctx, memory)
	defer func() { _ = memory.Save() }() // what cannot be kept is read again
	if modules := split(root, p); len(modules) > 1 {
		return eachModule(ctx, root, modules, o)
	}
	return generate(ctx, root, p, o)
}

// generate is Generate for API packages that are loaded together.
func generate(ctx context.Context, root string, p *config.Project, o Options) (*Result, error) {
	all, err := both(ctx, root, p, o)
	if err != nil {
		return nil, err
	}
	g, m, called := all.run, all.made, all.called
	if left := g.leftRole(m); left != "" {
		m.Notes = append(m.Notes, left)
	}
	t, err := g.tree(m, o)
	if err != nil {
		return nil, err
	}
	added, err := calls.Add(t, root, p.ControllerGen, called, o.Year)
	if err != nil {
		return nil, err
	}
	g.called = added.Generators
	kept, err := t.Kept(root)
	if err != nil {
		return nil, err
	}
	for _, tool := range slices.Sorted(maps.Keys(kept)) {
		if files := kept[tool]; len(files) > 0 {
			added.NotCompared = append(added.NotCompared, tree.NotCompared{Kind: strings.TrimSuffix(tool, "-gen"), Tool: tool, Paths: files,
				Reason: "the generator no longer makes it, and nothing removes it (keepLeftOver)"})
		}
	}
	refused, err := g.judge(t)
	if err != nil {
		return nil, err
	}
	notes := shortened(slices.Concat(m.Notes, called.Notes, lossyConversions(root, m.Files), refused, added.Notes))
	for _, f := range m.Files {
		if f.Generator != codegen.Report { // which has no path
			g.generators[f.Path] = f.Generator
		}
	}
	return &Result{Tree: t, Notes: notes, Generators: g.version, Cached: m.cached && called.Cached, PostProcessed: added.Compared, NotCompared: slices.Concat(added.NotCompared, g.changed, all.left), Undetermined: all.undetermined, run: g}, nil
}

// both makes the files of both families, code-generator's and controller-gen's, side by side.
func both(ctx context.Context, root string, p *config.Project, o Options) (*parts, error) {
	var codeErr, callsErr error
	all := &parts{}
	var group sync.WaitGroup
	group.Go(func() { all.called, callsErr = calls.Make(ctx, root, p.ControllerGen, o.Only, o.Results, program()) })
	if all.run, codeErr = newGeneration(ctx, root, p, o); codeErr == nil {
		all.made, codeErr = all.run.cachedOrMade(ctx, o)
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return all, all.settle(ctx, root, p, o, codeErr, callsErr)
}

// generation is one run of Generate.
type generation struct {
	root     string
	dir      string // where packages are loaded from; see loadDir
	settings *config.Project
	plan     *plan.Plan
	scan     *scan.Scanner
	header   codegen.Header
	tags     *tagCheck
	version  Generators
	env      *load.Env                // nil where the go command must load the packages
	graph    *load.Graph              // what was loaded last
	more     []string                 // packages that tags name, and that there are
	local    map[string][]load.Source // the files that were read and may change, by directory

	generators map[string]string  // the generator of each file
	called     map[string]string  // that of each file of controller-gen's calls
	changed    []tree.NotCompared // files of code-generator that differ, as a script may have changed them
	inEngines  []engineFiles      // what engines made in this run
	known      *knownResult       // nil where nothing is kept
	results    *cache.Store       // nil where nothing is kept
}

// newGeneration reads what a run is decided by.
func newGeneration(ctx context.Context, root string, p *config.Project, o Options) (*generation, error) {
	if onlyCalls(p) {
		return &generation{root: root, dir: root, settings: p, plan: &plan.Plan{}, scan: scan.New(root, p.Exclude), version: Generators{Version: codegen.Version}, generators: map[string]string{}}, nil
	}
	tags := newTagCheck(root, p, o)
	version, err := VersionFor(root, p)
	if err != nil {
		return nil, err
	}
	scanned := scan.New(root, p.Exclude)
	only := slices.Clone(o.Only)
	if slices.Contains(only, "object") {
		only = append(only, "deepcopy")
	}
	todo, err := plan.New(root, p, version.Version, scanned, plan.Options{Only: only, Discovered: o.Discovered, Apart: apart(root, p.APIs)})
	if err != nil {
		// A package whose only tag is misspelt asks for nothing.
		return nil, cmp.Or(tags.mistakes(), explain.Blocked(root, err), err)
	}
	tags.families.CRDs, tags.families.Clients = todo.CRDDirs, todo.ClientTrees
	header, err := headerOf(root, p)
	if err != nil {
		return nil, err
	}
	g := &generation{version: version, scan: scanned, dir: loadDir(root, p.APIs), root: root, settings: p, plan: todo, header: header, tags: tags, generators: map[string]string{}, results: o.Results}
	if g.idle() {
		return g, nil
	}
	if g.env, err = load.NewEnv(ctx, g.dir, codegen.BuildTag); err != nil && !errors.Is(err, load.ErrUnsupported) {
		return nil, err
	}
	return g, nil
}

// idle reports whether no generator runs: those that were asked for are all controller-gen's. Then nothing is loaded, and there are only
// the notes on tags.
func (g *generation) idle() bool { return len(g.plan.Units) == 0 }

// onlyCalls reports whether everything in a project is made by its calls of controller-gen.
func onlyCalls(p *config.Project) bool {
	return len(p.ControllerGen.Calls) > 0 && (len(p.APIs) == 0 || len(p.Generators) == 0) && len(p.Clients) == 0 && !p.OpenAPI.IsSet() && p.CRDs.Dir == "" && p.RBAC.Dir == ""
}

// cachedOrMade takes the result from the cache, or makes it and puts it there.
func (g *generation) cachedOrMade(ctx context.Context, o Options) (*made, error) {
	if onlyCalls(g.settings) {
		return &made{cached: true}, nil
	}
	if g.env == nil && !g.idle() || o.Results == nil {
		return g.make(ctx)
	}
	c, err := newCached(o.Results, g, o)
	if err != nil {
		return nil, err
	}
	if m, key, ok := c.get(); ok {
		m.cached = true
		g.known = &knownResult{o.Results, key}
		return m, nil
	}
	m, err := g.make(ctx)
	if err == nil && g.local != nil {
		key, err := c.put(ctx, m, g.local)
		if key != (cache.Key{}) {
			g.known = &knownResult{o.Results, key}
			err = errors.Join(err, g.keepEngine())
		}
		if err != nil {
			m.Notes = append(m.Notes, fmt.Sprintf("crdctl: warning: the result cannot be cached (%v), so the next run is not faster; set XDG_CACHE_HOME to a directory that you can write to", err))
		}
	}
	return m, err
}

// make runs all generators.
func (g *generation) make(ctx context.Context) (*made, error) {
	m := &made{}
	var notes []string
	go func() { _, _ = g.tags.look() }()
	// controller-tools loads packages in its own way; in parallel, the two loads take the time of the longer.
	// Neither breaks off the other: what is wrong with a package must not depend on which of them comes first.
	var codeErr, crdErr error
	var both sync.WaitGroup
	env := g.env // code gives it up where its generators fail
	both.Go(func() { m.Files, notes, codeErr = g.code(ctx) })
	if kinds := g.plan.Inputs(plan.CRD); len(kinds) > 0 {
		both.Go(func() { m.Manifests, crdErr = crdgen.Generate(ctx, g.dir, env, kinds, g.settings.CRDs) })
	}
	var role []byte
	var roleErr error
	if asking := g.plan.Inputs(plan.RBAC); len(asking) > 0 {
		both.Go(func() { role, roleErr = crdgen.Role(ctx, g.dir, env, asking, g.settings.RBAC.RoleName) })
	}
	both.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := g.tags.refusal(); err != nil {
		return nil, err
	}
	if err := g.explainAll(ctx, codeErr, crdErr, roleErr); err != nil {
		return nil, err
	}
	m.Role = role
	m.Notes = slices.Concat(g.plan.Notes, g.tags.notes(), notes)
	for i, f := range m.Files {
		if f.Path == "" {
			continue
		}
		rel, err := filepath.Rel(g.root, f.Path)
		if err != nil {
			return nil, err
		}
		m.Files[i].Path = filepath.ToSlash(rel)
	}
	return m, nil
}

// headerOf is the header of all files that have no other.
func headerOf(root string, p *config.Project) (codegen.Header, error) {
	if p.Boilerplate == "" && p.BoilerplateText != "" {
		return codegen.Header{Boilerplate: []byte(p.BoilerplateText)}, nil
	}
	return readHeader(root, "boilerplate", p.Boilerplate)
}

// readHeader reads the file that a setting names.
func readHeader(root, setting, boilerplate string) (codegen.Header, error) {
	if boilerplate == "" {
		return codegen.Header{}, nil
	}
	data, err := safefs.ReadFile(filepath.Join(root, filepath.FromSlash(boilerplate)), safefs.MaxFile)
	if errors.Is(err, fs.ErrNotExist) {
		where := config.FileName
		if setting == "boilerplate" {
			where += " or with --boilerplate"
		}
		return codegen.Header{}, fmt.Errorf("%s: %s does not exist; create the file, or name another in %s", setting, boilerplate, where)
	}
	return codegen.Header{Boilerplate: data}, err
}
