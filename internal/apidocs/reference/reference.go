// SPDX-License-Identifier: Apache-2.0

// Package reference describes the API of a project for its users: kinds, their versions, and the fields of these with all that holds for them.
//
// What is there is what the CRDs say, since that is what the API server goes by; the Go types add names, and the comments of constants. It judges
// nothing, and knows no page.
package reference

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"

	"github.com/crdctl/crdctl/internal/apidocs/comment"
	"github.com/crdctl/crdctl/internal/check/compat"
	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/revision"
)

// Reference is the API of a project.
type Reference struct {
	Groups []*Group
	// Since is the revision that the versions are compared with, and Gone what it has of the API and the project does not; empty for none.
	Since string
	Gone  []string
	// Notes are about patterns that match nothing.
	Notes []string
}

// Group is an API group, with its kinds in alphabetical order.
type Group struct {
	Name  string
	Kinds []*Kind
}

// Kind is a kind, with its versions, the most stable and newest first.
type Kind struct {
	Group, Name, Plural, Singular string
	ShortNames, Categories        []string
	Namespaced                    bool
	Versions                      []*Version
}

// Version is a version of a kind.
type Version struct {
	Kind        *Kind
	Name        string
	Description comment.Text
	// Served, Storage and Deprecated are those of the CRD; Warning is what the API server answers to those who use a deprecated version.
	Served, Storage, Deprecated bool
	Warning                     string
	Status                      bool // the subresource
	Scale                       *apiextv1.CustomResourceSubresourceScale
	Columns                     []apiextv1.CustomResourceColumnDefinition
	Selectable                  []string
	// Sections are the objects in it, each with its fields; the first is the object itself.
	Sections []*Section
	Example  *Example
	// Changes are those since the version before it, and History those since Reference.Since.
	Changes, History *Changes
}

// Section is an object in a version, with its fields.
type Section struct {
	Path, Anchor string // both empty for the whole object
	Type         Type
	Description  comment.Text
	Fields       []*Field
	Rules        []Rule
	Limits       []Limit
}

// Field is a field of an object.
type Field struct {
	Name, Path, Anchor              string
	Type                            Type
	Description                     comment.Text
	Required, Immutable, Deprecated bool
	Default                         string // as JSON; empty if there is none
	Enum                            []Value
	Limits                          []Limit
	Rules                           []Rule
	Section                         string // the anchor of the section that has its fields; empty if there is none
}

// Type is the type of a field: a text such as []string or map[string]Port.
type Type struct {
	Text string
	URL  string // of a page about a named type
	// Elsewhere is set where that page describes the fields, and the reference does not.
	Elsewhere bool
}

// Value is a value of an enum.
type Value struct {
	Text        string
	Description comment.Text
}

// Limit is something that holds for a value: words, and a value in code, such as "Maximum" and 10.
type Limit struct{ Text, Code string }

// Rule is a rule of CEL.
type Rule struct{ Message, Rule string }

// Options say what is left out.
type Options struct {
	// Ignore are patterns of kinds and fields; see Ignores.
	Ignore []string
	// Against is an older state of the project to compare with; nil for none.
	Against *revision.Base
}

// Build describes the API of a project.
func Build(ctx context.Context, p *project.Project, o Options) (*Reference, error) {
	ignores, err := newIgnores(o.Ignore)
	if err != nil {
		return nil, err
	}
	examples, err := findExamples(ctx, p)
	if err != nil {
		return nil, err
	}
	r := &Reference{}
	var older *compat.Baseline
	if o.Against != nil {
		if older, err = compat.Read(o.Against, p); err != nil {
			return nil, err
		}
		r.Since, r.Gone = o.Against.Name, gone(p, older)
	}
	groups := map[string]*Group{}
	for _, crd := range p.CRDs {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		b := &builder{crd: crd, ignores: ignores, modules: modules{}}
		kind := b.kind()
		if kind == nil {
			continue
		}
		for _, v := range kind.Versions {
			if v.Example, err = examples.of(ctx, crd, v.Name); err != nil {
				return nil, err
			}
		}
		if err := kind.changed(ctx, crd); err != nil {
			return nil, err
		}
		if older != nil {
			hide, _ := newIgnores(o.Ignore) // what they match in the older state does not count as used
			if err := kind.since(ctx, crd, older.State()[crd.Name], r.Since, hide); err != nil {
				return nil, err
			}
		}
		if groups[kind.Group] == nil {
			groups[kind.Group] = &Group{Name: kind.Group}
		}
		groups[kind.Group].Kinds = append(groups[kind.Group].Kinds, kind)
	}
	r.Notes = ignores.unused()
	for _, g := range groups {
		slices.SortFunc(g.Kinds, func(a, b *Kind) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Plural, b.Plural))
		})
		r.Groups = append(r.Groups, g)
	}
	slices.SortFunc(r.Groups, func(a, b *Group) int { return strings.Compare(a.Name, b.Name) })
	return r, nil
}

// kind describes a CRD; nil if no version of it is to be shown.
func (b *builder) kind() *Kind {
	names := b.crd.Spec.Names
	k := &Kind{
		Group: b.crd.Spec.Group, Name: names.Kind, Plural: names.Plural, Singular: cmp.Or(names.Singular, strings.ToLower(names.Kind)),
		ShortNames: names.ShortNames, Categories: names.Categories, Namespaced: b.crd.Spec.Scope == apiextv1.NamespaceScoped,
	}
	for i := range b.crd.Spec.Versions {
		v := &b.crd.Spec.Versions[i]
		if !b.ignores.kind(k.Group, v.Name, k.Name) && !b.hidden(v.Name, nil) {
			k.Versions = append(k.Versions, b.version(k, v))
		}
	}
	if len(k.Versions) == 0 {
		return nil
	}
	slices.SortStableFunc(k.Versions, func(a, b *Version) int { return -version.CompareKubeAwareVersionStrings(a.Name, b.Name) })
	return k
}

func (b *builder) version(k *Kind, v *apiextv1.CustomResourceDefinitionVersion) *Version {
	shown := &Version{
		Kind: k, Name: v.Name, Served: v.Served, Storage: v.Storage, Deprecated: v.Deprecated, Columns: v.AdditionalPrinterColumns,
	}
	if v.Deprecated {
		shown.Warning = fmt.Sprintf("%s/%s %s is deprecated", k.Group, v.Name, k.Name)
		if v.DeprecationWarning != nil {
			shown.Warning = *v.DeprecationWarning
		}
	}
	if v.Subresources != nil {
		shown.Status, shown.Scale = v.Subresources.Status != nil, v.Subresources.Scale
	}
	for _, s := range v.SelectableFields {
		shown.Selectable = append(shown.Selectable, strings.TrimPrefix(s.JSONPath, "."))
	}
	if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
		b.of, b.shown, b.anchors = v, shown, map[string]int{}
		shown.Description = comment.Parse(b.description(nil, v.Schema.OpenAPIV3Schema.Description))
		b.root(v.Schema.OpenAPIV3Schema)
	}
	return shown
}
