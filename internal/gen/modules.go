// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/workspace"
)

// loadDir is the directory that packages are loaded from: the root, or where all API directories are in one module below it, the
// directory of that module, unless the root's own module requires it: the go command knows no others below its own.
func loadDir(root string, apis []string) string {
	own := workspace.Above(root, "go.mod")
	dir := ""
	for _, api := range apis {
		at := workspace.Above(filepath.Join(root, filepath.FromSlash(api)), "go.mod")
		if at == "" || at == own || dir != "" && dir != at {
			return root
		}
		dir = at
	}
	if dir == "" || own == "" {
		return cmp.Or(dir, root)
	}
	if workspace.Above(root, "go.work") != "" && os.Getenv("GOWORK") != "off" {
		return dir // a workspace is the same from each of its modules; outside of them there is none
	}
	data, err := safefs.ReadFile(filepath.Join(own, "go.mod"), safefs.MaxFile)
	if err != nil {
		return dir
	}
	file, err := modfile.ParseLax(filepath.Join(own, "go.mod"), data, nil)
	if err != nil {
		return dir
	}
	if _, err := os.Stat(filepath.Join(own, "vendor", "modules.txt")); err == nil {
		return dir // from the root, its packages are copies in vendor
	}
	mod, err := workspace.ImportPaths{}.Of(dir)
	if err == nil && slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == mod }) {
		return root
	}
	return dir
}

// apart returns what reports whether a directory is in a module below that of the API packages which the go command does not see from there:
// "./..." leaves it out, and controller-gen with it.
func apart(root string, apis []string) func(dir string) bool {
	home := workspace.Above(loadDir(root, apis), "go.mod")
	if home == "" || workspace.Above(root, "go.work") != "" && os.Getenv("GOWORK") != "off" {
		return nil
	}
	return func(dir string) bool {
		at := workspace.Above(filepath.Join(root, filepath.FromSlash(dir)), "go.mod")
		return strings.HasPrefix(at, home+string(filepath.Separator)) && loadDir(root, []string{dir}) == at
	}
}

// unlisted is the error of an API directory whose module is not in the workspace: the go command takes its packages for those of a
// module that go.mod lacks.
func (g *generation) unlisted(said string) error {
	if !strings.Contains(said, "no required module provides package") {
		return nil
	}
	file := os.Getenv("GOWORK")
	if file == "" {
		dir := workspace.Above(g.dir, "go.work")
		if dir == "" {
			return nil
		}
		file = filepath.Join(dir, "go.work")
	}
	data, err := safefs.ReadFile(file, safefs.MaxFile)
	if err != nil {
		return nil //nolint:nilerr // there is no workspace
	}
	work, err := modfile.ParseWork(file, data, nil)
	if err != nil {
		return nil //nolint:nilerr // the go command has said so
	}
	for _, api := range g.settings.APIs {
		module := workspace.Above(filepath.Join(g.root, filepath.FromSlash(api)), "go.mod")
		own, err := os.Stat(module)
		if err != nil || slices.ContainsFunc(work.Use, func(u *modfile.Use) bool { return sameDir(own, filepath.Dir(file), u.Path) }) {
			continue
		}
		return fmt.Errorf("%s: the module in %s is not in the workspace; run \"go work use .\" in that directory, or set GOWORK=off", file, module)
	}
	return nil
}

func sameDir(own os.FileInfo, base, dir string) bool {
	if dir = filepath.FromSlash(dir); !filepath.IsAbs(dir) {
		dir = filepath.Join(base, dir)
	}
	info, err := os.Stat(dir)
	return err == nil && os.SameFile(own, info)
}
