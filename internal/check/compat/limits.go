// SPDX-License-Identifier: Apache-2.0

package compat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/text"
)

// limits finds values that are no longer taken, and values that are now.
func (v *version) limits(path []string, was, is *props) {
	tight := v.tightened(path)
	before, after := limitsOf(was).of(was), limitsOf(is).of(was)
	if !was.Nullable || !is.Nullable { // null was not a value, or is found below
		isNull := func(value string) bool { return value == "null" }
		before.enum, after.enum = slices.DeleteFunc(before.enum, isNull), slices.DeleteFunc(after.enum, isNull)
	}
	v.enum(path, before, after)
	values := valuesOf(before, after)
	var tighter, looser, words []string
	ranges := false // of formats, which are one change of two bounds
	for i, b := range before.bounds {
		a := after.bounds[i]
		if b.equal(a) {
			continue
		}
		change := fmt.Sprintf("%s %s → %s", b.name, b, a)
		ofFormat := a.ofRange() && b.ofRange()
		if ofFormat {
			change = fmt.Sprintf("the range of %s → that of %s", b.formatName(is), a.formatName(is))
		}
		switch {
		case ofFormat && ranges:
		case !a.tighter(b):
			looser = append(looser, change)
			ranges = ranges || ofFormat
		case values.lose(b.refuses, a.refuses):
			tighter, words = append(tighter, change), append(words, b.name+"=", b.name+":=")
			ranges = ranges || ofFormat
		}
	}
	if len(tighter) > 0 {
		v.at("bound-tightened", tight, path, words, "fewer values are allowed: %s", strings.Join(tighter, ", "))
	}
	if len(looser) > 0 {
		v.at("bound-loosened", shows, path, nil, "more values are allowed: %s", strings.Join(looser, ", "))
	}
	v.patterns(path, before.patterns, after.patterns, values)
	v.format(path, before.format, after.format, values)
	switch {
	case was.Nullable && !is.Nullable:
		v.null(path, is)
	case !was.Nullable && is.Nullable:
		v.at("nullable-added", shows, path, []string{"nullable"}, "null is now a value")
	}
	v.branches(path, before, after)
}

func (v *version) enum(path []string, before, after limits) {
	words := []string{"enum"}
	removed, added := less(before.enum, after.enum), less(after.enum, before.enum)
	switch {
	case before.enum == nil && after.enum != nil:
		v.at("enum-removed", v.tightened(path), path, words, "only some values are allowed now: %s", few(after.enum))
	case before.enum != nil && after.enum == nil:
		v.at("enum-added", shows, path, words, "all values are allowed now, not only %s", few(before.enum))
	default:
		if len(removed) > 0 {
			v.at("enum-removed", v.tightened(path), path, words, "values are no longer allowed: %s", few(removed))
			v.all.list[len(v.all.list)-1].Values = removed
		}
		if len(added) > 0 {
			v.at("enum-added", shows, path, words, "values are new: %s", few(added))
		}
	}
}

// null finds a field that can no longer be null. Before the API server validates, it sets a null to the default, and leaves out a field or
// a value of a map without one; only an item of a list stays.
func (v *version) null(path []string, is *props) {
	add := func(e effect, message string) { v.at("nullable-removed", e, path, []string{"nullable"}, "%s", message) }
	if len(path) == 0 {
		return
	}
	parent, name := path[:len(path)-1], path[len(path)-1]
	switch {
	case is.Default != nil:
		add(shows, "null is no longer kept: it is replaced with the default")
	case name == project.Items:
		add(v.tightened(path), "null is no longer a value")
	case name != project.Values && requiredIn(schemaOf(v.is), parent, name):
		if requiredIn(schemaOf(v.was), parent, name) { // otherwise, it is the finding of a field that is now required
			add(v.tightened(path), "null is no longer a value of the field, which is required")
		}
	default:
		add(shows, "null is no longer kept: it is dropped")
	}
}

func (v *version) patterns(path []string, before, after []string, values values) {
	added, removed := less(after, before), less(before, after)
	if values != nil {
		if values.lose(noneMatch(removed), noneMatch(added)) {
			v.at("pattern-changed", v.tightened(path), path, []string{"pattern"}, "values must now match the pattern %s", shortList(added))
		}
		return
	}
	switch {
	case len(added) > 0 && len(removed) > 0:
		v.at("pattern-changed", min(risks, v.tightened(path)), path, []string{"pattern"}, "the pattern changed from %s to %s", shortList(removed), shortList(added))
	case len(added) > 0:
		v.at("pattern-changed", v.tightened(path), path, []string{"pattern"}, "values must now match the pattern %s", shortList(added))
	case len(removed) > 0:
		v.at("bound-loosened", shows, path, nil, "values need no longer match the pattern %s", shortList(removed))
	}
}

// format finds another format of strings: those of numbers are bounds. The API server does not check those that it does not know.
func (v *version) format(path []string, before, after string, values values) {
	if before == after {
		return
	}
	checked, was := isChecked(after), isChecked(before)
	wrong := func(format string) func(any) bool {
		return func(value any) bool {
			s, ok := value.(string)
			return ok && isChecked(format) && !strfmt.Default.Validates(format, s)
		}
	}
	switch {
	case checked && !values.lose(wrong(before), wrong(after)):
	case checked && (!was || values != nil):
		v.at("format-changed", v.tightened(path), path, []string{"format"}, "values must now have the format %s", after)
	case checked:
		v.at("format-changed", risks, path, []string{"format"}, "the format changed from %s to %s", quoted(before), after)
	case was:
		v.at("bound-loosened", shows, path, nil, "values need no longer have the format %s", before)
	}
}

// isChecked reports whether a format refuses any string.
func isChecked(format string) bool {
	return format != "password" && strfmt.Default.ContainsName(format)
}

// branches compares anyOf, oneOf and not, whose meaning only the values decide.
func (v *version) branches(path []string, before, after limits) {
	for i, name := range []string{"anyOf", "oneOf", "not", "allOf"} {
		b, a := before.branches[i], after.branches[i]
		added, removed := less(a, b), less(b, a)
		words := []string{"exactlyoneof", "atmostoneof", "atleastoneof", name}
		switch {
		case len(added) == 0 && len(removed) == 0:
		case len(b) == 0:
			v.at("one-of-changed", v.tightened(path), path, words, "%s is new, and values must fit it", name)
		case len(a) == 0 || name == "anyOf" && len(removed) == 0 || name == "allOf" && len(added) == 0:
			// It only takes more.
		case name == "anyOf" && len(added) == 0:
			v.at("one-of-changed", v.tightened(path), path, words, "anyOf has lost %d of its %d choices", len(removed), len(b))
		default:
			v.at("one-of-changed", min(risks, v.tightened(path)), path, words, "%s changed", name)
		}
	}
}

// limits are what the values of a field are held to, apart from the type. Those in allOf count as those of the field do.
type limits struct {
	enum     []string // as JSON; nil for any
	bounds   []bound
	patterns []string
	format   string
	branches [4][]string // of anyOf, oneOf, not, allOf, as JSON
}

func limitsOf(s *props) limits {
	l := limits{format: s.Format, bounds: boundsOf(s)}
	for i, limit := range rangeOf(s) {
		if limit.tighter(l.bounds[i]) {
			l.bounds[i] = limit
		}
	}
	if s.Enum != nil {
		l.enum = []string{}
		for _, value := range s.Enum {
			l.enum = append(l.enum, compact(value.Raw))
		}
	}
	if !slices.Contains([]string{"", ".*", "^", "$", "^.*", ".*$"}, s.Pattern) { // which all strings match
		l.patterns = []string{s.Pattern}
	}
	for _, part := range s.AllOf {
		if !isLimits(&part) {
			l.branches[3] = append(l.branches[3], canonical(&part))
			continue
		}
		more := limitsOf(&part)
		if l.enum == nil {
			l.enum = more.enum
		} else if more.enum != nil {
			l.enum = slices.DeleteFunc(l.enum, func(value string) bool { return !slices.Contains(more.enum, value) })
		}
		for i, b := range more.bounds {
			if b.tighter(l.bounds[i]) {
				l.bounds[i] = b
			}
		}
		l.patterns = append(l.patterns, more.patterns...)
		if l.format == "" {
			l.format = more.format
		}
	}
	for i, list := range [][]props{s.AnyOf, s.OneOf, notOf(s)} {
		if i == 0 && s.XIntOrString {
			continue
		}
		for _, part := range list {
			l.branches[i] = append(l.branches[i], canonical(&part))
		}
	}
	return l
}

// of are the limits that values of a type are held to: a pattern says nothing of a number.
func (l limits) of(s *props) limits {
	if s.Type == "" {
		return l
	}
	for i, b := range l.bounds {
		l.bounds[i].whole = s.Type == "integer" && b.name != "multipleOf"
		if !slices.Contains(boundsOn[s.Type], b.name) {
			l.bounds[i].value = nil
		}
	}
	if s.Type != "string" {
		l.patterns, l.format = nil, ""
	}
	return l
}

var boundsOn = map[string][]string{
	"integer": {"maximum", "minimum", "multipleOf"}, "number": {"maximum", "minimum", "multipleOf"}, "string": {"maxLength", "minLength"},
	"array": {"maxItems", "minItems"}, "object": {"maxProperties", "minProperties"},
}

func notOf(s *props) []props {
	if s.Not == nil {
		return nil
	}
	return []props{*s.Not}
}

// isLimits reports whether a part of allOf has nothing but limits.
func isLimits(s *props) bool {
	rest := *s
	rest.Enum, rest.Pattern, rest.Format, rest.Maximum, rest.Minimum, rest.ExclusiveMaximum, rest.ExclusiveMinimum, rest.MultipleOf = nil, "", "", nil, nil, false, false, nil
	rest.Required = nil
	rest.MaxLength, rest.MinLength, rest.MaxItems, rest.MinItems, rest.MaxProperties, rest.MinProperties, rest.Description = nil, nil, nil, nil, nil, nil, ""
	return canonical(&rest) == "{}"
}

func boundsOf(s *props) []bound {
	whole := func(n *int64) *float64 {
		if n == nil {
			return nil
		}
		f := float64(*n)
		return &f
	}
	lower := func(n *int64) *float64 {
		if n != nil && *n == 0 {
			return nil // as without it
		}
		return whole(n)
	}
	return []bound{
		{name: "maximum", value: s.Maximum, exclusive: s.ExclusiveMaximum, upper: true}, {name: "minimum", value: s.Minimum, exclusive: s.ExclusiveMinimum},
		{name: "maxLength", value: whole(s.MaxLength), upper: true}, {name: "minLength", value: lower(s.MinLength)},
		{name: "maxItems", value: whole(s.MaxItems), upper: true}, {name: "minItems", value: lower(s.MinItems)},
		{name: "maxProperties", value: whole(s.MaxProperties), upper: true}, {name: "minProperties", value: lower(s.MinProperties)},
		{name: "multipleOf", value: s.MultipleOf},
	}
}

// canonical is a schema as JSON, without what decides nothing.
func canonical(s *props) string {
	s = s.DeepCopy()
	s.Description, s.Title, s.ExternalDocs, s.Example = "", "", nil, nil
	data, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// less are the elements of a list that another one lacks, in their order.
func less(list, other []string) (rest []string) {
	for _, s := range list {
		if !slices.Contains(other, s) {
			rest = append(rest, s)
		}
	}
	return rest
}

func compact(raw []byte) string {
	if len(raw) == 0 {
		return "null" // as a CRD is read
	}
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	data, err := json.Marshal(value)
	if err != nil {
		return string(raw)
	}
	return string(data)
}

func shortList(list []string) string {
	var short []string
	for _, s := range list {
		short = append(short, text.Shorten(s, 80))
	}
	return strings.Join(short, " and ")
}
