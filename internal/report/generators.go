// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Generator is what was found of the files of one generator. Its fields are part of the output of verify: docs/verify.md names them.
type Generator struct {
	Name string `json:"name"`
	// Files is how many files it makes, and Changes how many are not as they should be, those included that are left over.
	Files   int `json:"files"`
	Changes int `json:"changes"`
}

// Generators sums up the report by generator, in the order of their names.
func (r Report) Generators() (all []Generator) {
	byName := map[string]*Generator{}
	of := func(name string) *Generator {
		if byName[name] == nil {
			byName[name] = &Generator{Name: name}
		}
		return byName[name]
	}
	for _, name := range r.Makers {
		of(name).Files++
	}
	for _, c := range r.Changes {
		of(r.maker(c)).Changes++
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, *byName[name])
	}
	return all
}

// ByControllerGen reports whether calls of controller-gen made any of the files.
func (r Report) ByControllerGen() bool {
	return slices.ContainsFunc(r.Generators(), func(g Generator) bool { return strings.HasPrefix(g.Name, "controller-gen ") })
}

// ByGenerator has the numbers of files in one line for people.
func (r Report) ByGenerator() string {
	var parts []string
	for _, g := range r.Generators() {
		part := fmt.Sprintf("%s %d", g.Name, g.Files)
		if g.Changes > 0 {
			part += fmt.Sprintf(" (%d not up to date)", g.Changes)
		}
		parts = append(parts, part)
	}
	return "files by generator: " + strings.Join(parts, ", ")
}
