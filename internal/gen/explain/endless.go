// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// Endless is one error of the types on which generators would never end, at their declarations; nil if err has none.
func Endless(root string, graph *load.Graph, err error) error {
	generators := map[string][]string{} // by line
	for _, one := range Each(err) {
		e, ok := errors.AsType[*codegen.EndlessError](one)
		if !ok {
			continue
		}
		at := e.Package
		if p := graph.Packages[e.Package]; p != nil && p.Types != nil && p.Types.Scope().Lookup(e.Name) != nil {
			at = graph.Fset.Position(p.Types.Scope().Lookup(e.Name).Pos()).String()
		}
		line := fmt.Sprintf("%s: %s refers to itself without a named struct field in between (%s)", at, e.Name, strings.Join(e.Path, ", "))
		name, _, _ := strings.Cut(one.Error(), ": ")
		generators[line] = append(generators[line], name)
	}
	var lines []string
	for _, line := range slices.Sorted(maps.Keys(generators)) {
		slices.Sort(generators[line])
		lines = append(lines, line+", which "+strings.Join(slices.Compact(generators[line]), ", ")+" cannot handle")
	}
	return diag.WithHint("cannot generate code for the API packages", root,
		"put a struct with a named field in between, for example type Node struct { Children []Node `json:\"children\"` }", lines...)
}
