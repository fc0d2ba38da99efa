// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
)

// schemaPath is the path of a schema that a field of an object has, as the API server writes it: spec.ports[0].name, spec.labels[a.b] or
// spec.labels.a. The older schema has the fields that went, the newer one those that came.
func schemaPath(old, now *props, field string) (path []string) {
	for rest := strings.TrimPrefix(field, "<nil>"); rest != ""; {
		var name string
		inside := false
		switch rest[0] {
		case '.':
			rest = rest[1:]
			continue
		case '[':
			name, rest, inside = strings.Cut(rest[1:], "]")
		default:
			if i := strings.IndexAny(rest, ".["); i >= 0 {
				name, rest = rest[:i], rest[i:]
			} else {
				name, rest = rest, ""
			}
		}
		step := name
		switch {
		case isList(old) || isList(now):
			step = project.Items
		case isMap(old, name) || isMap(now, name), inside && !has(old, name) && !has(now, name):
			step = project.Values
		}
		path = append(path, step)
		old, now = project.Lookup(old, []string{step}), project.Lookup(now, []string{step})
		for step == project.Values && !inside && strings.HasPrefix(rest, ".") { // the key of a map may have dots
			next := rest[1:]
			if i := strings.IndexAny(next, ".["); i >= 0 {
				next = next[:i]
			}
			if has(old, next) || has(now, next) || isMap(old, next) || isMap(now, next) {
				break
			}
			rest = rest[1+len(next):]
		}
	}
	return path
}

func isList(s *props) bool { return s != nil && project.ItemsOf(s) != nil }

func isMap(s *props, name string) bool {
	return s != nil && project.ValuesOf(s) != nil && !has(s, name)
}

func has(s *props, name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.Properties[name]
	return ok
}
