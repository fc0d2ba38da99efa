// SPDX-License-Identifier: Apache-2.0

package controllergen

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/workspace"
)

// namesOf are the names of the files that a pattern is for, or its last element where none of them is here.
func (r *Reader) namesOf(pattern, last string) (names []string) {
	there, err := workspace.Glob(r.Root, pattern)
	if err != nil || len(there) == 0 {
		return []string{last}
	}
	for _, file := range there {
		names = append(names, filepath.Base(file))
	}
	return names
}

// listedIn are the directories and patterns of files that a substitution in a word lists, as $(find config/crd -name '*.yaml' | sort) does.
// sure is false where find selects among them by more than that they are YAML.
func listedIn(word string) (patterns []string, sure bool) {
	inner, ok := strings.CutPrefix(word, "$(")
	if !ok {
		return nil, false
	}
	inner, _, _ = strings.Cut(strings.TrimSuffix(inner, ")"), "|")
	words := strings.Fields(inner)
	if len(words) < 2 || words[0] != "find" && words[0] != "ls" {
		return nil, false
	}
	isFlag := func(w string) bool {
		return strings.HasPrefix(w, "-") || strings.HasPrefix(w, `\`) || w == "!" || w == "("
	}
	if words[0] == "ls" {
		return slices.DeleteFunc(words[1:], isFlag), true
	}
	first := slices.IndexFunc(words, isFlag)
	if first < 0 {
		return words[1:], true
	}
	all := []string{"-type", "f", "-name", "-iname", "*.yaml", "*.yml"}
	sure = !slices.ContainsFunc(words[first:], func(w string) bool { return !slices.Contains(all, strings.Trim(w, `"'`)) })
	return words[1:first], sure
}
