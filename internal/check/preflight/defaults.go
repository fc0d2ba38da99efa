// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
)

// defaults finds defaults that contradict the rest, or that are never set.
func (j *judged) defaults() {
	s := j.Schema
	if s.Default != nil && j.Parent != nil && slices.Contains(j.Parent.Schema.Required, j.Name()) {
		j.add("default-required", "default", "%s has a default and is required", j.Name())
	}
	if j.underAbsent() && !j.above(j.Parent).underAbsent() {
		j.add("default-under-absent", "", "each field of %s has a default, and none is set in an object without %s", j.Name(), j.Name())
	}
}

// above is the schema of a parent.
func (j *judged) above(n *project.Node) *judged { return &judged{Node: n, crd: j.crd} }

// underAbsent reports whether the schema is that of an object that is absent by default, and of which all would have one. Those of spec and status
// themselves, those that are in status, and those of types of others do not count.
func (j *judged) underAbsent() bool {
	s := j.Schema
	if s.Default != nil || s.Type != "object" || len(j.Path) < 2 || j.Path[0] == "status" || j.Name() == project.Items || j.Name() == project.Values ||
		slices.Contains(j.Parent.Schema.Required, j.Name()) || !defaultsAll(s, 8) {
		return false
	}
	field, ok := j.crd.GoField(j.Version.Name, j.Path)
	return !ok || field.Foreign == ""
}

// defaultsAll reports whether each field of an object has a default that says something, so that {} is a value that does. Objects may be nested that deep.
func defaultsAll(s *apiextv1.JSONSchemaProps, deep int) bool {
	for name := range s.Properties {
		property := s.Properties[name]
		if property.Type == "object" && property.Default == nil && len(property.Properties) > 0 && deep > 0 && defaultsAll(&property, deep-1) {
			continue
		}
		if property.Default == nil || slices.Contains([]string{`""`, "0", "false", "{}", "[]", "null"}, string(property.Default.Raw)) {
			return false
		}
	}
	return len(s.Properties) > 0
}

// inMaps validates the defaults in values of maps, which the server leaves out.
func inMaps(crd *project.CRD) (all []rule.Finding, err error) {
	crd.Walk(func(n *project.Node) bool {
		if n.Name() != project.Values || !hasDefaults(n.Schema) {
			return err == nil
		}
		var problems []string
		var paths [][]string
		problems, paths, err = invalidDefaults(n.Schema, false)
		for i, problem := range problems {
			path := append(slices.Clone(n.Path), paths[i]...)
			all = append(all, rule.New("default-in-map", at(crd, n.Version.Name, path, "default"), crd.Subject(n.Version.Name, path...), "%s", problem))
		}
		return err == nil
	})
	return all, err
}

func hasDefaults(s *apiextv1.JSONSchemaProps) bool {
	if s.Default != nil {
		return true
	}
	for name := range s.Properties {
		if property := s.Properties[name]; hasDefaults(&property) {
			return true
		}
	}
	return s.Items != nil && s.Items.Schema != nil && hasDefaults(s.Items.Schema)
}

// invalidDefaults is what the API server's code says of the defaults in a schema, and where these are.
func invalidDefaults(s *apiextv1.JSONSchemaProps, isRoot bool) (problems []string, paths [][]string, err error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s, internal, nil); err != nil {
		return nil, nil, err
	}
	structural, err := schema.NewStructural(internal)
	if err != nil {
		return nil, nil, nil //nolint:nilerr // it is refused for that
	}
	errs, err := defaulting.ValidateDefaults(context.Background(), nil, structural, isRoot, true)
	if err != nil {
		return nil, nil, fmt.Errorf("validate the defaults: %w", err)
	}
	for _, problem := range causes(errs) {
		spot := locate(s, "."+strings.TrimPrefix(problem.Field, "."))
		problems, paths = append(problems, said(problem, spot.rest)), append(paths, spot.path)
	}
	return problems, paths, nil
}
