// SPDX-License-Identifier: Apache-2.0

package tree

import "fmt"

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

// String returns one line for a person.
func (n NotCompared) String() string {
	files := n.Paths[0]
	if more := len(n.Paths) - 1; more > 0 {
		files += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("%s (%s, %s): %s", files, n.Kind, n.Tool, n.Reason)
}
