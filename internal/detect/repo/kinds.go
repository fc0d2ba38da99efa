// SPDX-License-Identifier: Apache-2.0

package repo

import (
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

var groupName = lazyregexp.New(`(?m)^\s*//\s*\+groupName=(\S+)`)

// Kinds are the types of API objects by group and directory.
type Kinds map[string]map[string][]string

// KindsByGroup are the types of API objects that the Go files declare. A directory that has the marker of a group and no such type is in it, too.
func (r *Repo) KindsByGroup() Kinds {
	all := Kinds{}
	for _, f := range r.Files {
		if f.Tags["register"] == 0 { // the tag is the marker of a group's name
			continue
		}
		for _, m := range groupName.FindAllSubmatch(f.Data, -1) {
			group := string(m[1])
			if all[group] == nil {
				all[group] = map[string][]string{}
			}
			for _, o := range r.ByDir[f.Dir] {
				all[group][f.Dir] = append(all[group][f.Dir], o.Kinds...)
			}
		}
	}
	return all
}

// IsOf reports whether a CRD is of one of the types, as far as the top of its manifest shows that.
func (m Manifest) IsOf(kinds Kinds) bool {
	_, group, _ := strings.Cut(m.Name, ".")
	for _, declared := range kinds[group] {
		if m.Kind == "" || len(declared) == 0 || slices.Contains(declared, m.Kind) {
			return true
		}
	}
	return false
}
