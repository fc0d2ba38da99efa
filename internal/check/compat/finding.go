// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"fmt"
	"maps"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// effect is how sure it is that a change breaks something.
type effect int

const (
	shows  effect = iota // readers meet something new
	risks                // it breaks some
	breaks               // what was right is refused or lost
)

// severity is that of an effect in a version: an alpha version promises nothing, and one that was deprecated was announced to go.
func severity(v *apiextv1.CustomResourceDefinitionVersion, e effect) rule.Severity {
	switch {
	case e == shows || isAlpha(v.Name):
		return rule.Note
	case e == risks || v.Deprecated:
		return rule.Warning
	}
	return rule.Error
}

var alpha = lazyregexp.New(`^v[0-9]+alpha[0-9]+$`)

func isAlpha(version string) bool { return alpha.MatchString(version) }

// at adds a finding about a field; the place is that of its marker that has one of the words.
func (v *version) at(id string, e effect, path, words []string, format string, args ...any) {
	at, foreign := v.now.AtField(v.was.Name, path)
	if foreign == "" && len(words) > 0 {
		at = v.now.At(v.was.Name, path, words...)
	}
	v.put(id, e, at, foreign, path, fmt.Sprintf(format, args...))
	if last := &v.all.list[len(v.all.list)-1]; v.inGo && foreign == "" {
		last.says = fmt.Sprintf(format, args...)
	}
}

// below adds a finding about a field that is gone, at the type that lost it.
func (v *version) below(id string, e effect, parent []string, name, format string, args ...any) {
	at, foreign := v.now.AtType(v.was.Name, parent)
	v.put(id, e, at, foreign, append(slices.Clone(parent), name), fmt.Sprintf(format, args...))
}

func (v *version) put(id string, e effect, at rule.Place, foreign string, path []string, message string) {
	field := project.Dotted(path)
	label := field
	if v.inGo && foreign == "" {
		label = project.Dotted(tail(path))
	}
	if label == "" {
		label = v.now.Spec.Names.Kind
	}
	f := rule.New(id, at, v.now.Subject(v.was.Name, path...), "%s: %s", label, message)
	f.Severity = severity(v.was, e)
	if foreign != "" && e != shows {
		f.Fix = fmt.Sprintf("The type %s is of another module: keep the version of the module that was required before, or replace the type with one of the project.", foreign)
	}
	scope := v.now.Name
	if v.inGo {
		scope = at.String()
	}
	v.all.list = append(v.all.list, entry{Finding: f, scope: scope, foreign: foreign, crd: v.now.Name, version: v.was.Name, field: field})
}

// tail is the end of a path from its last name.
func tail(path []string) []string {
	i := len(path) - 1
	for i > 0 && (path[i] == project.Items || path[i] == project.Values) {
		i--
	}
	return path[max(i, 0):]
}

// distinct is what the findings of a group say, once each.
func distinct(group []entry, say func(entry) string) (all []string) {
	for _, e := range group {
		all = append(all, say(e))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// shown is how many of a list are shown.
const shown = 5

// few are the first of a list, and how many more there are.
func few(list []string) string { return text.First(list, shown) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
