// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"slices"
	"strings"
)

// broken are the fields that objects prove to be broken, once each, and what breaks.
func (c *change) broken() (fields []string) {
	for _, w := range c.objects {
		if w.field != "" && !slices.Contains(fields, w.field) {
			fields = append(fields, w.field)
		}
	}
	slices.Sort(fields)
	// A field whose parent is broken as well is not reported again.
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool {
		return slices.ContainsFunc(fields, func(other string) bool { return strings.HasPrefix(field, other+".") })
	})
}

// finds is how many of the fields a program names, in any way but that the description changed, and how many of its errors are about none of them.
func (v verdict) finds(fields []string) (found, others int) {
	for _, field := range fields {
		if slices.ContainsFunc(slices.Concat(v.errors, v.others), func(line string) bool { return about(line, field) }) {
			found++
		}
	}
	for _, line := range v.errors {
		if !slices.ContainsFunc(fields, func(field string) bool { return about(line, field) }) {
			others++
		}
	}
	return found, others
}

// about reports whether a line names a field, the object that must have it, or a part of it.
func about(line, field string) bool {
	if strings.HasSuffix(line, "[description]") {
		return false
	}
	head, _, _ := strings.Cut(line, "\n")
	if strings.HasSuffix(line, " not-round-trip]") && strings.Contains(step.ReplaceAllString(head, ""), " "+field) {
		return true // it names several fields of a version
	}
	at := normal(fieldIn.FindString(head))
	parent := field[:max(strings.LastIndex(field, "."), 0)]
	return at == field || strings.HasPrefix(at, field+".") || at != "" && strings.HasPrefix(field, at+".") && !strings.Contains(line, "[READ ") || at == parent && strings.Contains(line, "required")
}

// fieldIn is the path of a field as the programs write it: after the version of crdctl, and after the root that the others call "^".
var fieldIn = regexp.MustCompile(`(/v\w+: |\^\.)[\w.\[\]{}*-]+`)

var step = regexp.MustCompile(`\[\w*\*?\]|\{\}`)

// normal is a path of names alone.
func normal(path string) string {
	_, after, ok := strings.Cut(path, ": ")
	if ok {
		path = after
	}
	names := strings.Split(step.ReplaceAllString(strings.TrimPrefix(path, "^."), ""), ".")
	names = slices.DeleteFunc(names, func(name string) bool {
		return name == "items" || name == "additionalProperties" || name == "example" || name == ""
	})
	return strings.Join(names, ".")
}
