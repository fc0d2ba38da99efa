// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/code-generator/cmd/client-gen/generators/util"
	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/generator"
	"k8s.io/gengo/v2/types"
	openapis "k8s.io/kube-openapi/pkg/generators"
	openapi "k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// models are the types that a schema is of.
type models struct {
	graph   *load.Graph
	context *generator.Context
	// kinds are the types that can be applied, and all is what they are made of, in the order in which openapi-gen writes
	// their definitions.
	kinds, all []*types.Type
	// definition are the names of the definitions, by type; written are the same, by what openapi-gen calls the types.
	definition map[types.Name]string
	written    map[string]string
	renamed    map[string]string // what the document calls definitions of another name
}

// models finds the types twice: first by structure alone, which is known of all packages, and then with the comments that
// gengo has only of packages that it was asked for.
func (s *source) models(inputs []string, reversed bool) (*models, error) {
	base, _, err := s.context(inputs, true)
	if err != nil {
		return nil, err
	}
	kinds, err := appliedKinds(base, inputs)
	if err != nil {
		return nil, err
	}
	m := &models{graph: s.graph, definition: map[types.Name]string{}, written: map[string]string{}, renamed: map[string]string{}}
	all, err := m.reachable(kinds)
	if err != nil {
		return nil, err
	}
	asked := slices.Clone(inputs)
	for _, t := range all {
		if _, ok := s.graph.Packages[t.Name.Package]; ok && !slices.Contains(asked, t.Name.Package) {
			asked = append(asked, t.Name.Package)
		}
	}
	c, _, err := s.context(asked, false)
	if err != nil {
		return nil, err
	}
	if m.kinds, err = appliedKinds(c, inputs); err != nil {
		return nil, err
	}
	if m.all, err = m.reachable(m.kinds); err != nil {
		return nil, err
	}
	// openapi-gen looks through all types that it sees, once for each that it writes.
	m.context = &generator.Context{Namers: openapis.NameSystems(), Universe: types.Universe{}, Order: m.all, Inputs: inputs}
	for _, t := range m.all {
		m.context.Universe.Package(t.Name.Package).Comments = c.Universe.Package(t.Name.Package).Comments
	}
	return m, m.nameAll(reversed)
}

// nameAll decides the names of the definitions.
func (m *models) nameAll(reversed bool) error {
	for _, t := range m.all {
		written := t.Name.String()
		definition := openapi.ToRESTFriendlyName(written)
		model, err := m.modelName(t)
		if err != nil {
			return err
		}
		if model != "" {
			written, definition = model, model
			if reversed {
				m.renamed[model] = reverse(model)
			}
		}
		m.definition[t.Name], m.written[written] = definition, definition
	}
	return nil
}

// leaveUntagged takes out the definitions of the types that no tag asks openapi-gen to define.
func (m *models) leaveUntagged(definitions spec.Definitions) {
	for _, t := range m.all {
		asked := func(comments []string) []string { return gengo.ExtractCommentTags("+", comments)["k8s:openapi-gen"] } //nolint:staticcheck // as openapi-gen reads it
		own := asked(slices.Concat(t.SecondClosestCommentLines, t.CommentLines))
		if !slices.Contains(own, "true") && !slices.Contains(asked(m.context.Universe.Package(t.Name.Package).Comments), "true") {
			delete(definitions, m.definition[t.Name])
		}
	}
}

// reverse turns the parts of a name up to its first slash around.
func reverse(name string) string {
	first, rest, _ := strings.Cut(name, "/")
	parts := strings.Split(first, ".")
	slices.Reverse(parts)
	return strings.TrimSuffix(strings.Join(parts, ".")+"."+strings.ReplaceAll(rest, "/", "."), ".")
}

// appliedKinds are the types that applyconfiguration-gen looks for in the schema.
func appliedKinds(c *generator.Context, inputs []string) (kinds []*types.Type, err error) {
	for _, input := range inputs {
		pkg := c.Universe.Package(input)
		for _, name := range slices.Sorted(maps.Keys(pkg.Types)) {
			t := pkg.Types[name]
			tags, err := util.ParseClientGenTags(slices.Concat(t.SecondClosestCommentLines, t.CommentLines))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.Name, err)
			}
			if tags.GenerateClient && (tags.HasVerb("apply") || tags.HasVerb("applyStatus")) {
				kinds = append(kinds, t)
			}
		}
	}
	return kinds, nil
}

// modelName is the name that a package gives to the model of a type instead of that of Go, if it does.
func (m *models) modelName(t *types.Type) (string, error) {
	if _, ok := t.Methods[modelNameMethod]; ok {
		v, err := m.method(t.Name.Package, t.Name.Name, modelNameMethod, reflect.TypeFor[string](), map[string]bool{})
		if err != nil {
			return "", m.unreadable(t, err)
		}
		return v.String(), nil
	}
	const tag = "k8s:openapi-model-package"
	for _, comments := range [][]string{t.CommentLines, m.context.Universe.Package(t.Name.Package).Comments} {
		tags, err := gengo.ExtractFunctionStyleCommentTags("+", []string{tag}, comments)
		if err != nil {
			return "", fmt.Errorf("%s: %w", t.Name, err)
		}
		if values := tags[tag]; len(values) > 0 && values[0].Value != "" {
			return values[0].Value + "." + t.Name.Name, nil
		}
	}
	return "", nil
}
