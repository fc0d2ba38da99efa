// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/gen/controllergen"
	"github.com/crdctl/crdctl/internal/text"
)

// root is one of the paths of a call: a directory relative to the project's root, and whether those below it count.
type root struct {
	dir   string
	below bool
}

// roots are the paths of a call as directories. For an import path that is the directory of the call and all below: where its packages
// are is for the go command to know.
func roots(c *config.ControllerGenCall) (all []root) {
	for _, p := range c.Paths {
		dir, below := strings.CutSuffix(p, "...")
		if !strings.HasPrefix(p, ".") || p == "..." {
			dir, below = ".", true
		}
		all = append(all, root{path.Join(c.Dir, dir), below})
	}
	return all
}

// Reads are the directories below which a call reads packages, those that these import apart, and the files that it reads besides, all
// relative to the project's root.
func Reads(c *config.ControllerGenCall) (dirs, files []string) {
	for _, r := range roots(c) {
		dirs = append(dirs, r.dir)
	}
	for _, file := range headers(c) {
		if !path.IsAbs(file) {
			files = append(files, path.Join(c.Dir, file))
		}
	}
	return dirs, files
}

// bases are the directories below which calls look for packages.
func bases(calls []config.ControllerGenCall) (dirs []string) {
	for i := range calls {
		for _, r := range roots(&calls[i]) {
			if r.below {
				dirs = append(dirs, r.dir)
			}
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	return slices.DeleteFunc(dirs, func(dir string) bool {
		return slices.ContainsFunc(dirs, func(other string) bool { return other != dir && text.Below(other, dir) })
	})
}

// below are the directories with Go files and with modules below the bases of all calls, and the files of deep copies there.
type below struct{ dirs, modules, deepCopies []string }

// of are those of one call.
func (b below) of(c *config.ControllerGenCall) (dirs, modules []string) {
	for _, r := range roots(c) {
		if !r.below {
			dirs = append(dirs, r.dir)
			continue
		}
		in := func(dir string) bool { return text.Below(r.dir, dir) }
		for _, dir := range b.dirs {
			if in(dir) {
				dirs = append(dirs, dir)
			}
		}
		for _, dir := range b.modules {
			if in(dir) {
				modules = append(modules, dir)
			}
		}
	}
	return dirs, modules
}

// walk looks for directories side by side. What is hidden, and what a module vendors, has no packages of the project.
func walk(top string, bases []string) (found below) {
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	var visit func(dir string)
	visit = func(dir string) {
		entries, err := os.ReadDir(filepath.Join(top, filepath.FromSlash(dir)))
		if err != nil {
			return // it has no packages, as for the go command
		}
		var goFiles, module, copies bool
		for _, e := range entries {
			name := e.Name()
			if !e.IsDir() {
				goFiles = goFiles || strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
				module = module || name == "go.mod"
				copies = copies || name == controllergen.DeepCopyFile
				continue
			}
			if name[0] == '.' || name[0] == '_' || name == "vendor" || name == "node_modules" {
				continue
			}
			next := path.Join(dir, name)
			if !group.TryGo(func() error { visit(next); return nil }) {
				visit(next)
			}
		}
		if goFiles || module {
			mu.Lock()
			defer mu.Unlock()
			if goFiles {
				found.dirs = append(found.dirs, dir)
			}
			if module {
				found.modules = append(found.modules, dir)
			}
			if copies {
				found.deepCopies = append(found.deepCopies, path.Join(dir, controllergen.DeepCopyFile))
			}
		}
	}
	for _, dir := range bases {
		visit(dir)
	}
	_ = group.Wait() // no visit fails
	return found
}
