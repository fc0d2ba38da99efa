// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// linkPackages links packages, and those that they import, into a GOPATH. There the programs find them at once; in a module they start the
// go command for each of some hundred packages, in each run. It reports whether all could be linked.
func linkPackages(ctx context.Context, dir, gopath string, paths []string) bool {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-e", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}} {{.Dir}}{{end}}"}, paths)...)
	cmd.Dir, cmd.WaitDelay = dir, patience
	out, err := cmd.Output()
	if err != nil {
		return false
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if pkg, dir, _ := strings.Cut(strings.TrimSpace(line), " "); dir != "" {
			dirs[pkg] = dir
		}
	}
	return link(filepath.Join(gopath, "src"), dirs) == nil
}

// link links the directories of packages below src, by their import paths. Where a package below another one is elsewhere, as in a module of
// its own, the upper one gets a directory with links to its files: through a link to the whole the lower one would be put into the module cache
// or the project.
func link(src string, dirs map[string]string) error {
	apart := map[string]bool{}
	for pkg, dir := range dirs {
		for above := path.Dir(pkg); above != "."; above = path.Dir(above) {
			if upper, ok := dirs[above]; ok && filepath.Join(upper, filepath.FromSlash(strings.TrimPrefix(pkg, above))) != dir {
				apart[above] = true
			}
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(dirs)) { // the packages around it come first
		at := filepath.Join(src, filepath.FromSlash(pkg))
		if _, err := os.Stat(at); err == nil && !apart[pkg] {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		if !apart[pkg] {
			if err := os.Symlink(dirs[pkg], at); err != nil {
				return err
			}
			continue
		}
		if err := linkFiles(dirs[pkg], at); err != nil {
			return err
		}
	}
	return nil
}

func linkFiles(dir, at string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(at, 0o700); err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.IsDir() {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, entry.Name()), filepath.Join(at, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
