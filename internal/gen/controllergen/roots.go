// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/packages"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
	"github.com/crdctl/crdctl/internal/git"
	"github.com/crdctl/crdctl/internal/workspace"
)

// pkg is a root of a call.
type pkg struct {
	path   string
	module string   // the directory from which it is loaded: that of its go.mod
	files  []string // where the call names these, and not the package: they are a package of their own
	marks
}

// roots expands the paths of a call as controller-tools' loader does: import paths first, then each directory in its own module, and
// with /... every module below. Modules in files that git ignores are left out. Until v0.9.0 it loads all at once, without other modules.
func (r *runner) roots(ctx context.Context, c *call) (all []*pkg, err error) {
	var dirs, imports, nested []string
	for _, p := range c.Paths {
		switch {
		case strings.HasPrefix(p, ".") || filepath.IsAbs(p):
			if !filepath.IsAbs(p) {
				p = filepath.Join(c.dir, filepath.FromSlash(p))
			}
			dirs = append(dirs, filepath.Clean(p))
		default:
			imports = append(imports, p)
		}
	}
	e := &expansion{runner: r, tags: tags(c), paths: workspace.ImportPaths{}, known: map[string]bool{}}
	if err := e.imported(ctx, c, imports); err != nil {
		return nil, err
	}
	atOnce := semver.Compare(c.code, "v0.9.0") < 0
	for _, dir := range dirs {
		if filepath.Base(dir) != "..." {
			if err := e.one(dir); err != nil {
				return nil, err
			}
			continue
		}
		top := filepath.Dir(dir)
		if atOnce && workspace.Above(top, "go.mod") != workspace.Above(c.dir, "go.mod") && workspace.Above(c.dir, "go.work") == "" {
			return nil, diag.Unsupported(fmt.Errorf("controller-gen %s loads no other module, and %s is in one; correct the path in the call", c.code, top))
		}
		first := len(e.all)
		more, err := e.below(top)
		if err != nil {
			return nil, err
		}
		if atOnce {
			continue
		}
		if err := r.inOrder(ctx, c, e.all[first:]); err != nil {
			return nil, err
		}
		nested = append(nested, more...)
	}
	if atOnce {
		return e.all, r.inOrder(ctx, c, e.all)
	}
	if nested, err = unignored(ctx, r.root, nested); err != nil {
		return nil, err
	}
	for _, dir := range nested {
		first := len(e.all)
		if _, err := e.below(dir); err != nil {
			return nil, err
		}
		if err := r.inOrder(ctx, c, e.all[first:]); err != nil {
			return nil, err
		}
	}
	return e.all, nil
}

// expansion is one call of roots.
type expansion struct {
	*runner
	tags  []string
	paths workspace.ImportPaths
	known map[string]bool // import paths
	all   []*pkg
}

// add adds the package in a directory. Of two with the same import path the first counts. A vendored package has the path by which others
// import it.
func (e *expansion) add(dir string) error {
	path, err := e.paths.Of(dir)
	if err != nil {
		return err
	}
	module := workspace.Above(dir, "go.mod")
	if vendored, ok := strings.CutPrefix(dir, filepath.Join(module, "vendor")+string(filepath.Separator)); ok && module != "" {
		path = filepath.ToSlash(vendored)
	}
	return e.addAs(path, dir, module)
}

func (e *expansion) addAs(path, dir, module string) error {
	if e.known[path] {
		return nil
	}
	e.known[path] = true
	m, err := e.dirs.marks(dir)
	e.all = append(e.all, &pkg{path: path, module: module, marks: m})
	return err
}

func (e *expansion) one(dir string) error {
	if strings.HasSuffix(dir, ".go") {
		return diag.Unsupported(fmt.Errorf("%s is a file, of which controller-gen makes a package of its own; crdctl reads directories", dir))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("%w; correct the path in the call", err)
	}
	for _, entry := range entries {
		if goFile(entry) {
			return e.add(dir)
		}
	}
	return fmt.Errorf("no Go files in %s; correct the path in the call", dir)
}

// below adds the packages below a directory, as the go command matches /..., and returns the directories of modules that it does not
// look into.
func (e *expansion) below(top string) (nested []string, err error) {
	outside := "" // a directory that the pattern does not match, for which there may be modules
	err = filepath.WalkDir(top, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if at != top && (name == ".git" || name == "node_modules" || name == "vendor") {
			return fs.SkipDir
		}
		if outside != "" && !strings.HasPrefix(at, outside+string(filepath.Separator)) {
			outside = ""
		}
		entries, err := os.ReadDir(at)
		if err != nil {
			return err
		}
		has := false
		for _, entry := range entries {
			has = has || goFile(entry)
			if entry.Name() == "go.mod" && at != top && !entry.IsDir() {
				nested = append(nested, at)
				outside = at
			}
		}
		if at != top && outside == "" && (name[0] == '.' || name[0] == '_' || name == "testdata") {
			outside = at
		}
		if outside != "" || !has {
			return nil
		}
		if excluded, err := e.excluded(at); excluded || err != nil {
			return err
		}
		return e.add(at)
	})
	if err != nil {
		return nil, fmt.Errorf("%w; correct the path in the call", err)
	}
	return nested, nil
}

// excluded reports whether build constraints exclude all files of a directory. Patterns do not match it then.
func (e *expansion) excluded(dir string) (bool, error) {
	m, err := e.dirs.marks(dir)
	if err != nil || m.free {
		return false, err
	}
	as := build.Default
	as.BuildTags = e.tags
	_, err = as.ImportDir(dir, 0)
	none := (*build.NoGoError)(nil)
	return errors.As(err, &none), nil // other problems are the loader's to report
}

// imported adds the packages of import paths.
func (e *expansion) imported(ctx context.Context, c *call, patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	environ, done, err := load.ReadOnlyWith(ctx, c.dir, variables(c))
	if err != nil {
		return err
	}
	defer done()
	listed, err := packages.Load(&packages.Config{
		Context: ctx, Dir: c.dir, Env: environ, BuildFlags: []string{"-tags=" + strings.Join(tags(c), ",")}, Mode: packages.NeedName | packages.NeedFiles,
	}, patterns...)
	if err != nil {
		return diag.OfGo(err)
	}
	for _, p := range listed {
		if len(p.GoFiles) == 0 {
			for _, problem := range p.Errors {
				if diag.IsUnavailable(problem) {
					return diag.New("list its packages", c.dir, problem.Error())
				}
				return fmt.Errorf("%s: %w; correct the path in the call", p.PkgPath, problem)
			}
			continue
		}
		if err := e.addAs(p.PkgPath, filepath.Dir(p.GoFiles[0]), workspace.Above(c.dir, "go.mod")); err != nil {
			return err
		}
		if strings.HasSuffix(patterns[0], ".go") {
			e.all[len(e.all)-1].files = p.GoFiles
		}
	}
	return nil
}

// unignored leaves the directories whose go.mod git does not ignore. Without git or a repository that is all but those in vendor and in
// hidden directories.
func unignored(ctx context.Context, root string, dirs []string) (kept []string, err error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	cmd := git.Command(ctx, root, "check-ignore", "-z", "--stdin")
	for _, dir := range dirs {
		kept = append(kept, filepath.Join(dir, "go.mod"))
	}
	cmd.Stdin = strings.NewReader(strings.Join(kept, "\x00") + "\x00")
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1: it ignores none of them
		return hidden(root, dirs), nil
	}
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		ignored[name] = true
	}
	kept = nil
	for _, dir := range dirs {
		if !ignored[filepath.Join(dir, "go.mod")] {
			kept = append(kept, dir)
		}
	}
	return kept, nil
}

func hidden(root string, dirs []string) (kept []string) {
	for _, dir := range dirs {
		rel, err := filepath.Rel(root, dir)
		at := string(filepath.Separator) + rel
		if err == nil && !strings.Contains(at, string(filepath.Separator)+".") && !strings.Contains(at, string(filepath.Separator)+"vendor") {
			kept = append(kept, dir)
		}
	}
	return kept
}
