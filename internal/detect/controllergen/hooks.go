// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
	"github.com/crdctl/crdctl/internal/safefs"
)

// selection is which files a hook of pre-commit is given: patterns of Python.
type selection struct{ Files, Exclude string }

// hook is a hook of pre-commit.
type hook struct {
	selection `yaml:",inline"`
	ID        yaml.Node
	Entry     string
	Args      []string
	Types     []string
	TypesOr   []string `yaml:"types_or"`
}

// preCommit is the file of pre-commit.
type preCommit struct {
	selection `yaml:",inline"`
	Repos     []struct{ Hooks []hook }
}

// preCommitFile has the hooks that change files before they are committed. They are in no script.
const preCommitFile = ".pre-commit-config.yaml"

// readHooks reads the file of pre-commit: without hooks where there is none, or where it cannot be read.
func (r *Reader) readHooks() (all preCommit) {
	data, err := safefs.ReadFile(filepath.Join(r.Root, preCommitFile), safefs.MaxFile)
	if err != nil || yaml.Unmarshal(data, &all) != nil {
		return preCommit{}
	}
	return all
}

// formatting are the hooks that write a manifest in a form of their own.
func (p preCommit) formatting(file string) (all scriptline.Lines) {
	for _, r := range p.Repos {
		for _, h := range r.Hooks {
			formats := slices.Contains([]string{"prettier", "yamlfmt"}, h.ID.Value) || scriptline.FormatsYAML.Match([]byte(strings.Join(append([]string{h.Entry}, h.Args...), " ")))
			if formats && p.has(file) && h.has(file) && h.ofYAML() {
				all = append(all, scriptline.Line{At: repo.At(preCommitFile, h.ID.Line), Words: []string{"-", "id:", h.ID.Value}})
			}
		}
	}
	return all
}

// ofYAML reports whether a hook is given YAML files, as far as it names types.
func (h *hook) ofYAML() bool {
	is := func(name string) bool {
		return slices.Contains([]string{"yaml", "text", "file", "non-executable"}, name)
	}
	return !slices.ContainsFunc(h.Types, func(name string) bool { return !is(name) }) && (len(h.TypesOr) == 0 || slices.ContainsFunc(h.TypesOr, is))
}

// has reports whether a file is among those that are selected. A pattern that only Python knows selects all, and excludes none.
func (s selection) has(file string) bool {
	matches := func(pattern string, otherwise bool) bool {
		if verbose, ok := strings.CutPrefix(strings.TrimSpace(pattern), "(?x)"); ok {
			pattern = strings.Join(strings.Fields(verbose), "")
		}
		e, err := regexp.Compile(pattern)
		if err != nil {
			return otherwise
		}
		return e.MatchString(file)
	}
	return matches(s.Files, true) && (s.Exclude == "" || !matches(s.Exclude, false))
}
