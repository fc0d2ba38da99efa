// SPDX-License-Identifier: Apache-2.0

// Package controllergen runs controller-gen's generators on the roots of its calls, in memory: in this process where the
// controller-tools that is linked makes the same bytes as the version that the project uses, and otherwise in an engine. Each call
// keeps its own roots, options and modules. It does not decide what a project calls (detect does) and compares and writes nothing.
package controllergen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/controllergen/args"
	"github.com/crdctl/crdctl/internal/gen/controllergen/host"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/toolchain"
	"github.com/crdctl/crdctl/internal/tempdir"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// File is one that a generator made.
type File struct {
	Path      string // slash-separated, relative to the project's root
	Content   []byte
	Also      [][]byte // other contents that upstream may give it: its output depends on the order of maps
	Generator string   // "object", "crd", …
	Call      int
	// Year says that the header's year is still the word YEAR: the one who assembles puts in that of the existing file, or the current one.
	Year bool
}

// Result is what calls made.
type Result struct {
	Files []File
	Notes []string
	// Read are, by call, the directories of the packages that were listed for it.
	Read [][]string
	// Silent are, by call, the generators that made nothing though the packages have markers for them, in places where
	// controller-gen reads none.
	Silent map[int][]string
	// Failed are, by call, the errors of those that need a module or a version that is unavailable here (see [diag.IsUnavailable]), and
	// of those that were inferred; see [diag.IsInferred].
	Failed map[int]error
	// Ignored are, by call, the errors of those that ignore errors, in one line. The other files are made all the same.
	Ignored map[int]string
}

// Run makes the files of the calls. only has names of generators; empty, it runs all.
func Run(ctx context.Context, root string, settings config.ControllerGen, only []string) (result *Result, err error) {
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved // as the go command names directories
	}
	if os.Getenv("GOGC") == "" {
		// As in an engine: a fifth less time, for a little more memory. Of several runs side by side the last may leave it so.
		defer debug.SetGCPercent(debug.SetGCPercent(200))
	}
	_ = tempdir.Sweep(os.TempDir(), tempdir.RunPrefix) // run in spite of what others left
	scratch, err := tempdir.New(os.TempDir(), tempdir.RunPrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, scratch.Remove()) }()
	r := &runner{root: root, scratch: scratch.Path, dirs: newDirs(), listings: newListings(), count: len(settings.Calls), failed: map[int]error{}, ignored: map[int]string{}}
	for i, c := range settings.Calls {
		keep(&c, only)
		if len(c.Generators()) == 0 {
			continue
		}
		one, err := r.prepare(i, c, settings.Version)
		if err == nil {
			r.calls = append(r.calls, one)
		} else if err := r.fail(err, i); err != nil {
			return nil, err
		}
	}
	return r.run(ctx)
}

// keep drops the generators of a call that are not asked for, and those that write no files.
func keep(c *config.ControllerGenCall, only []string) {
	for _, name := range c.Generators() {
		writes := c.Output[name] != config.OutputNone && c.Output[name] != config.OutputStdout
		if writes && (len(only) == 0 || slices.Contains(only, name)) {
			continue
		}
		c.Drop(name)
	}
}

// runner is one call of Run.
type runner struct {
	root     string
	scratch  string
	dirs     *dirs
	listings *listings
	calls    []*call
	count    int // of all calls, those with nothing to run included
	engines  map[string]func() (*toolchain.ControllerGen, error)

	mu      sync.Mutex
	failed  map[int]error
	ignored map[int]string
}

// fail notes an error of calls that others need not share, and returns any other.
func (r *runner) fail(err error, numbers ...int) error {
	if !diag.IsUnavailable(err) {
		return err
	}
	r.note(err, numbers...)
	return nil
}

// note notes the error of calls, without which the others go on.
func (r *runner) note(err error, numbers ...int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range numbers {
		r.failed[n] = err
	}
}

// call is one call of controller-gen on its way.
type call struct {
	config.ControllerGenCall
	number     int
	dir        string // absolute
	annotation string // what manifests say of the version
	code       string // the version of its generators
	engine     string // the version of the engine that must run it; empty for this process
	years      map[string]bool
	names      []string // of the generators
	request    host.Call
	arch       string
	fixed      []string // directories whose files never change
}

// what names a call in errors.
func (c *call) what() string {
	words := "run controller-gen " + strings.Join(args.Words(c.ControllerGenCall), " ")
	if c.Place != "" {
		words += " (" + c.Place + ")"
	}
	return words
}

// read are the directories of the packages of a call, each once.
func (c *call) read() (dirs []string) {
	seen := map[string]bool{"": true}
	for _, p := range c.request.Packages {
		if !seen[p.Dir] {
			seen[p.Dir] = true
			dirs = append(dirs, p.Dir)
		}
	}
	return dirs
}

func (r *runner) prepare(number int, c config.ControllerGenCall, version string) (*call, error) {
	one := &call{ControllerGenCall: c, number: number, dir: filepath.Join(r.root, filepath.FromSlash(c.Dir)), names: c.Generators()}
	one.annotation = cmp.Or(c.Version, version)
	code := one.annotation
	if config.Unreleased(code) {
		code = version
	}
	err := args.Check(c, code)
	if err != nil && c.Place != "" {
		err = fmt.Errorf("%s: %w", c.Place, err)
	}
	if errors.Is(err, args.ErrRemoved) {
		err = diag.Unsupported(err)
	}
	if err != nil {
		return nil, err
	}
	one.code = code
	one.engine, err = engineFor(code, one.names)
	return one, err
}

// run finds the packages of all calls, runs them, and gathers their files.
func (r *runner) run(ctx context.Context) (*Result, error) {
	defer r.openEngines(ctx)()
	g, listing := errgroup.WithContext(ctx)
	for _, c := range r.calls {
		g.Go(func() error {
			if err := r.fill(listing, c); err != nil {
				return r.fail(fmt.Errorf("%s: %w", c.what(), err), c.number)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := r.unlisted(); err != nil {
		return nil, err
	}
	r.calls = slices.DeleteFunc(r.calls, func(c *call) bool { return r.failed[c.number] != nil })
	groups := r.together()
	results := make([][]File, len(groups))
	g, running := errgroup.WithContext(ctx)
	for i, calls := range groups {
		g.Go(func() (err error) {
			results[i], err = r.ask(running, calls)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	out := &Result{Files: slices.Concat(results...), Read: make([][]string, r.count), Silent: map[int][]string{}, Failed: r.failed, Ignored: r.ignored}
	for _, c := range r.calls {
		if r.failed[c.number] != nil {
			continue
		}
		out.Read[c.number] = c.read()
		for i, name := range c.names {
			made := func(f File) bool { return f.Call == c.number && f.Generator == name }
			if (name == "rbac" || name == "webhook") && len(c.request.Generators[i].Roots) > 0 && !slices.ContainsFunc(out.Files, made) {
				out.Silent[c.number] = append(out.Silent[c.number], name)
			}
		}
	}
	slices.SortStableFunc(out.Files, func(a, b File) int { return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(a.Path, b.Path)) })
	return out, nil
}

// crashed is what a generator says that panics.
var crashed = lazyregexp.New(`^(runtime error|interface conversion): `)

// dangerous is advice of controller-gen about a flag of its own.
const dangerous = " If you are really sure you want to use them, re-run with crd:allowDangerousTypes=true"

// foreign is the first file with an error where all that have one are of other modules, also in vendor: older versions do not know the markers of newer
// modules of Kubernetes.
func (r *runner) foreign(all []packages.Error) (first string) {
	for _, e := range all {
		file, _, ok := strings.Cut(e.Pos, ".go:")
		if !ok {
			continue // a package, which may use what failed
		}
		rel, err := filepath.Rel(r.root, file)
		_, vendored, isVendored := strings.Cut("/"+filepath.ToSlash(rel), "/vendor/")
		switch {
		case !filepath.IsAbs(file) || err == nil && filepath.IsLocal(rel) && !isVendored:
			return "" // what the go command says of an import has a relative path
		case isVendored:
			file = vendored
		}
		file = filepath.ToSlash(file)
		if _, module, ok := strings.Cut(file, "/pkg/mod/"); ok {
			file = module
		}
		first = cmp.Or(first, file+".go")
	}
	return first
}

// ignore notes the errors of a call that the script which has it ignores. Those of the go command are never among them.
func (r *runner) ignore(c *call, said []string) {
	if len(said) == 0 {
		return
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(said[0], r.root+string(filepath.Separator)), "\n")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ignored[c.number] = fmt.Sprintf("controller-gen reports %s: %s", text.Count(len(said), "error, which the call ignores", "errors, which the call ignores; the first"), first)
}

// files are those of one call, or what went wrong in it.
func (r *runner) files(c *call, result host.Result) (files []File, err error) {
	said := slices.Clone(result.Failures)
	for _, e := range result.Errors {
		said = append(said, strings.ReplaceAll(e.Error(), dangerous, " To use them anyway, set crd.allowDangerousTypes in the call"))
	}
	if c.IgnoreErrors && len(result.Failures) == 0 && !slices.ContainsFunc(result.Errors, func(e packages.Error) bool { return e.Kind != packages.UnknownError }) {
		r.ignore(c, said)
		said = nil
	} else if file := r.foreign(result.Errors); file != "" {
		return nil, diag.Unsupported(diag.WithHint(c.what(), r.root, fmt.Sprintf("controller-gen %s cannot read %s; set a later version", c.code, file), said...))
	} else if slices.ContainsFunc(result.Failures, crashed.MatchString) {
		// A bug of that version says nothing about the sources, and what it would make without it is not known.
		return nil, diag.Unavailable(diag.WithHint(c.what(), r.root, fmt.Sprintf("controller-gen %s crashes here; set a later version", c.code), said...))
	}
	if err := diag.New(c.what(), r.root, said...); err != nil {
		return nil, err
	}
	for _, f := range result.Files {
		name := c.names[f.Generator]
		dir := c.request.Generators[f.Generator].Dir
		if f.Package != "" && (dir == "" || name == "applyconfiguration") {
			dir = f.Package
		}
		at, err := filepath.Rel(r.root, filepath.Join(dir, f.Path))
		if err != nil || !filepath.IsLocal(at) {
			return nil, fmt.Errorf("%s: %s writes %s, which is outside of %s; run crdctl in a directory above both", c.what(), name, filepath.Join(dir, f.Path), r.root)
		}
		files = append(files, File{Path: filepath.ToSlash(at), Content: f.Content, Also: f.Also, Generator: name, Call: c.number, Year: c.years[name]})
	}
	return files, nil
}
