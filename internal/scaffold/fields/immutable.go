// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"strings"

	"k8s.io/apiserver/pkg/cel"
)

// guard gives the types the rules that keep an immutable field from being removed: a rule at the field itself is not
// run where the field is gone. The rule is at the outermost object, so that removing what the field is in does not work either.
func (s *Set) guard(f *Field) error {
	if !f.immutable {
		return nil
	}
	root, chain, path := f.owner, []*Field{f}, f.name
	for root.parent != nil && root.parent.typ.single() {
		chain = append([]*Field{root.parent}, chain...)
		path = root.parent.name + "." + path
		root = root.parent.owner
	}
	before, after := presence("oldSelf", chain), presence("self", chain)
	if before != "" { // else it is always there
		root.marks = append(root.marks, celMarker("!"+before+" || "+after, path+" is immutable and cannot be removed once it is set"))
	}
	return nil
}

// presence tests each part of a path that may be missing.
func presence(of string, chain []*Field) string {
	var tests []string
	for _, f := range chain {
		name, _ := cel.Escape(f.name) // letters and digits have one
		of += "." + name
		if !f.required && f.defaults == nil {
			tests = append(tests, "has("+of+")")
		}
	}
	if len(tests) > 1 {
		return "(" + strings.Join(tests, " && ") + ")"
	}
	return strings.Join(tests, "")
}
