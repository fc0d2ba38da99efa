// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"bytes"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/safefs"
)

// goPackages compares the packages with API types that others can import. The notes name those of which the older state does not parse.
func goPackages(p *project.Project, base *revision.Base, known []rule.Finding) (all []rule.Finding, notes []string, problem error) {
	for _, dir := range p.Packages {
		if slices.Contains(strings.Split(dir, "/"), "internal") {
			continue
		}
		now, err := filesNow(p.Root, dir)
		if err != nil {
			return nil, nil, err
		}
		old, same := map[string][]byte{}, true
		for _, file := range base.Files(dir) {
			if path.Dir(file) != dir || !isGo(path.Base(file)) {
				continue
			}
			if old[file], err = base.ReadFile(file); err != nil {
				return nil, nil, err
			}
			same = same && bytes.Equal(old[file], now[file])
		}
		if !same && len(old) > 0 {
			found, note, err := CompareGo(dir, old, now, known)
			all, problem = append(all, found...), errors.Join(problem, err)
			if note != "" {
				notes = append(notes, note)
			}
		}
	}
	return all, notes, problem
}

func isGo(name string) bool {
	return path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "zz_generated")
}

func filesNow(root, dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !isGo(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		if files[name], err = safefs.ReadFile(filepath.Join(root, filepath.FromSlash(name)), safefs.MaxFile); err != nil {
			return nil, err
		}
	}
	return files, nil
}
