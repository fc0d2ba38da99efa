// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text"
)

// NotCompared is generated code of one kind that another tool made, and about which a comparison says nothing. Its fields
// are part of the output of verify: docs/verify.md names them.
type NotCompared struct {
	// Kind is crd, deepcopy, applyconfiguration, rbac, webhook, or the short name of another generator.
	Kind string `json:"kind"`
	// Tool is what makes the files, with its version where the files name it.
	Tool string `json:"tool"`
	// Paths are the files, sorted and relative to the project. There is at least one.
	Paths []string `json:"paths"`
	// Reason says why they are not compared.
	Reason string `json:"reason"`
}

// Lines returns a line for a person about each reason, with the files of all kinds that it holds for, in the order of the reasons.
func Lines(all []NotCompared) (lines []string) {
	byReason := map[string][]NotCompared{}
	for _, n := range all {
		byReason[n.Reason] = append(byReason[n.Reason], n)
	}
	for _, n := range all {
		same := byReason[n.Reason]
		delete(byReason, n.Reason)
		if len(same) == 0 {
			continue
		}
		var paths, makers []string
		for _, one := range same {
			paths = append(paths, one.Paths...)
			if maker := one.Kind + ", " + one.Tool; !slices.Contains(makers, maker) {
				makers = append(makers, maker)
			}
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
		lines = append(lines, fmt.Sprintf("%s (%s): %s", text.First(paths, 1), strings.Join(makers, "; "), n.Reason))
	}
	return lines
}

// Instead is a list with others added, which have a better reason for a file that both have.
func Instead(list, others []NotCompared) (all []NotCompared) {
	for _, n := range list {
		n.Paths = slices.DeleteFunc(slices.Clone(n.Paths), func(file string) bool {
			return slices.ContainsFunc(others, func(o NotCompared) bool { return slices.Contains(o.Paths, file) })
		})
		if len(n.Paths) > 0 {
			all = append(all, n)
		}
	}
	return append(all, others...)
}
