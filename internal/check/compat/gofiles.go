// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// goPackages compares the packages with API types that others can import, and counts them. The notes name those of which the older state does not
// parse, which do not count.
func goPackages(p *project.Project, base *revision.Base, known []rule.Finding) (all []rule.Finding, notes []string, compared int, problem error) {
	for _, dir := range p.Packages {
		if slices.Contains(strings.Split(dir, "/"), "internal") {
			continue
		}
		now, err := filesNow(p, dir)
		if err != nil {
			return nil, nil, 0, err
		}
		old, same := map[string][]byte{}, true
		for _, file := range base.Files(dir) {
			if path.Dir(file) != dir || !handWritten(file) {
				continue
			}
			if old[file], err = base.ReadFile(file); err != nil {
				return nil, nil, 0, err
			}
			same = same && bytes.Equal(old[file], now[file])
		}
		if len(old) == 0 || len(now) == 0 {
			continue
		}
		if same {
			compared++
			continue
		}
		found, note, err := compareGo(dir, old, now, known)
		all, problem = append(all, found...), errors.Join(problem, err)
		if note != "" {
			notes = append(notes, note)
		} else {
			compared++
		}
	}
	return all, notes, compared, problem
}

// apiPackage is what a file of a package with API types has; its group may be named.
var apiPackage = lazyregexp.New(`(?m)^\s*//\s*\+(?:groupName=(\S+)|kubebuilder:object:root=true)`)

// gonePackages finds packages with API types that others could import, and that are gone. One that went with its version has the finding of that.
func gonePackages(p *project.Project, base *revision.Base, b *Baseline) (all []rule.Finding, notes []string, problem error) {
	dirs := map[string][]string{}
	for _, file := range base.Files(".") {
		if dir := path.Dir(file); handWritten(file) && !foreign(file) && !slices.Contains(strings.Split(dir, "/"), "internal") {
			dirs[dir] = append(dirs[dir], file)
		}
	}
	for _, dir := range sortedKeys(dirs) {
		entries, err := os.ReadDir(filepath.Join(p.Root, filepath.FromSlash(dir)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return nil, nil, err
		}
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return project.IsGo(e.Name()) }) {
			continue
		}
		old, group, isAPI := map[string][]byte{}, "", false
		for _, file := range dirs[dir] {
			if old[file], err = base.ReadFile(file); err != nil {
				return nil, nil, err
			}
			for _, m := range apiPackage.FindAllSubmatch(old[file], -1) {
				isAPI, group = true, cmp.Or(group, string(m[1]))
			}
		}
		if !isAPI || b.lost(group, path.Base(dir)) {
			continue
		}
		found, note, err := compareGo(dir, old, nil, nil)
		all, problem = append(all, found...), errors.Join(problem, err)
		if note != "" {
			notes = append(notes, note)
		}
	}
	return all, notes, problem
}

// lost reports whether CRDs of a group had a version that they do not have any more.
func (b *Baseline) lost(group, version string) bool {
	for _, old := range b.removed {
		if old.Spec.Group == group && old.Version(version) != nil {
			return true
		}
	}
	for name, old := range b.crds {
		if old.Spec.Group == group && old.Version(version) != nil && b.now[name].Version(version) == nil {
			return true
		}
	}
	return false
}

// handWritten reports whether a file is Go source that a person wrote: what is generated follows from that.
func handWritten(file string) bool {
	return project.IsGo(file) && !strings.HasPrefix(path.Base(file), "zz_generated")
}

// filesNow are the Go files of a directory that persons wrote, by their paths.
func filesNow(p *project.Project, dir string) (map[string][]byte, error) {
	files, err := p.GoFiles(dir)
	own := map[string][]byte{}
	for name, src := range files {
		if handWritten(name) {
			own[path.Join(dir, name)] = src
		}
	}
	return own, err
}
