// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"slices"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/text"
)

// defaults finds defaults that came, went or changed: what an object means that does not set the field.
func (v *version) defaults(path []string, was, is *props) {
	words := []string{"default"}
	name, parent := "", []string(nil)
	if len(path) > 0 {
		name, parent = path[len(path)-1], path[:len(path)-1]
	}
	value := func(s *props) string { return text.Shorten(compact(s.Default.Raw), 60) }
	switch {
	case was.Default == nil && is.Default == nil:
	case was.Default == nil:
		if requiredIn(schemaOf(v.was), parent, name) {
			return // each object had a value
		}
		e := risks
		if slices.Contains([]string{`""`, "0", "false", "{}", "[]", "null"}, compact(is.Default.Raw)) {
			e = shows // what most programs take a missing value for
		}
		v.at("default-added", e, path, words, "the default is now %s; before, there was none", value(is))
	case is.Default == nil:
		if requiredIn(schemaOf(v.is), parent, name) {
			if requiredIn(schemaOf(v.was), parent, name) {
				v.at("default-removed", v.tightened(path), path, []string{"required"}, "the field is required and lost its default %s", value(was))
			}
			return // otherwise, it is the finding of a field that is now required
		}
		v.at("default-removed", risks, path, nil, "the default %s was removed", value(was))
	case compact(was.Default.Raw) != compact(is.Default.Raw):
		v.at("default-changed", risks, path, words, "the default changed from %s to %s", value(was), value(is))
	}
}

func requiredIn(root *props, parent []string, name string) bool {
	s := project.Lookup(root, parent)
	return s != nil && slices.Contains(requiredOf(s), name)
}
