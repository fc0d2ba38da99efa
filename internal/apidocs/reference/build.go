// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/apidocs/comment"
	"github.com/crdctl/crdctl/internal/check/project"
)

type props = apiextv1.JSONSchemaProps

// builder describes the versions of a CRD, one after the other.
type builder struct {
	crd     *project.CRD
	ignores *ignores
	modules modules

	of      *apiextv1.CustomResourceDefinitionVersion
	shown   *Version
	anchors map[string]int // how often an anchor was used
}

// root describes the whole object. What the API server fills in or knows by itself has words of its own.
func (b *builder) root(s *props) {
	section := &Section{Type: Type{Text: b.crd.Spec.Names.Kind}}
	section.Rules, section.Limits = rulesOf(s), limitsOf(s, false)
	b.shown.Sections = append(b.shown.Sections, section)
	meta := &Field{Name: "metadata", Path: "metadata", Type: b.modules.objectMeta(b.crd, b.of.Name), Description: comment.Parse("Standard metadata of the object.")}
	if own, ok := s.Properties["metadata"]; ok {
		meta.Limits, meta.Rules = limitsOf(&own, false), rulesOf(&own)
		for _, name := range slices.Sorted(maps.Keys(own.Properties)) {
			for _, l := range limitsOf(new(own.Properties[name]), false) {
				meta.Limits = append(meta.Limits, Limit{name + ": " + lower(l.Text), l.Code})
			}
		}
	}
	section.Fields = append(section.Fields,
		&Field{Name: "apiVersion", Path: "apiVersion", Type: Type{Text: "string"}, Required: true, Limits: []Limit{{"Value", b.crd.Spec.Group + "/" + b.of.Name}}},
		&Field{Name: "kind", Path: "kind", Type: Type{Text: "string"}, Required: true, Limits: []Limit{{"Value", b.crd.Spec.Names.Kind}}}, meta)
	for _, f := range section.Fields {
		f.Anchor = b.anchor([]string{f.Name})
	}
	b.fields(section, s, nil, []string{"apiVersion", "kind", "metadata"})
}

// fields describes the fields of an object, but for some, and then the objects in them.
func (b *builder) fields(section *Section, s *props, path, except []string) {
	type below struct {
		field  *Field
		schema *props
		path   []string
	}
	var objects []below
	for _, name := range b.order(s, path) {
		own := append(slices.Clone(path), name)
		if slices.Contains(except, name) || b.ignores.field(b.shown, own) || b.hidden(b.of.Name, own) {
			continue
		}
		schema := merged(new(s.Properties[name]))
		f := b.field(own, schema)
		f.Required = slices.Contains(s.Required, name)
		f.Immutable = f.Immutable || fixes(s, name)
		section.Fields = append(section.Fields, f)
		if leaf, inner := innermost(schema, own); !f.Type.Elsewhere && len(leaf.Properties) > 0 {
			f.Section = f.Anchor
			objects = append(objects, below{f, leaf, inner})
		}
	}
	for _, o := range objects {
		next := &Section{Path: project.Dotted(o.path), Anchor: o.field.Anchor, Type: o.field.Type, Description: o.field.Description, Rules: rulesOf(o.schema), Limits: junctors(o.schema)}
		b.shown.Sections = append(b.shown.Sections, next)
		b.fields(next, o.schema, o.path, nil)
	}
}

// order are the names of the fields: required ones first, then by name; those of the whole object as everyone knows them.
func (b *builder) order(s *props, path []string) []string {
	names := slices.Sorted(maps.Keys(s.Properties))
	rank := func(name string) int {
		switch {
		case len(path) == 0 && name == "spec":
			return 0
		case len(path) == 0 && name == "status":
			return 3
		case slices.Contains(s.Required, name):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

// field describes a field, save what its parent decides.
func (b *builder) field(path []string, s *props) *Field {
	f := &Field{Name: path[len(path)-1], Path: project.Dotted(path), Anchor: b.anchor(path)}
	named := b.typeOf(path)
	f.Type = named.typ(s)
	text := b.description(path, s.Description)
	f.Description = comment.Parse(text)
	f.Deprecated = deprecated.MatchString(text)
	if s.Default != nil {
		f.Default = compact(s.Default.Raw)
	}
	leaf, _ := innermost(s, nil)
	for _, v := range merged(leaf).Enum {
		f.Enum = append(f.Enum, Value{Text: unquoted(v.Raw), Description: comment.Parse(named.constants[unquoted(v.Raw)])})
	}
	f.Limits = limitsOf(s, true)
	if words := named.words(leaf); words != "" {
		f.Limits = append([]Limit{{Text: words}}, f.Limits...)
	}
	f.Immutable = slices.ContainsFunc(s.XValidations, keeps)
	f.Rules = inlineRules(s, f.Type.Elsewhere)
	return f
}

// innermost is the schema of the items of lists and of the values of maps, and the path to it.
func innermost(s *props, path []string) (*props, []string) {
	for {
		switch {
		case s.Items != nil && s.Items.Schema != nil:
			s, path = merged(s.Items.Schema), append(slices.Clone(path), project.Items)
		case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
			s, path = merged(s.AdditionalProperties.Schema), append(slices.Clone(path), project.Values)
		default:
			return s, path
		}
	}
}

// anchor is the dotted path of a field without the marks of lists and maps; a number makes one differ from one that names with dots in them lead to.
func (b *builder) anchor(path []string) string {
	var names []string
	for _, name := range path {
		if name != project.Items && name != project.Values {
			names = append(names, name)
		}
	}
	anchor := strings.Map(func(r rune) rune {
		if r <= ' ' || strings.ContainsRune("\"'<>&#%()[]{}|`\\", r) {
			return '-'
		}
		return r
	}, strings.Join(names, "."))
	b.anchors[anchor]++
	if n := b.anchors[anchor]; n > 1 {
		anchor += strings.Repeat("-", n-1)
	}
	return anchor
}

// compact is JSON without space that carries no meaning.
func compact(raw []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return string(raw)
	}
	return out.String()
}

// unquoted is a value of JSON as people write it: strings without quotes.
func unquoted(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		return text
	}
	return compact(raw)
}

func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}
