package crdimport

import (
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crd"
)

// maxSchemaDepth is how deep a schema may be. Those of whole pod templates have 20 levels.
const maxSchemaDepth = 100

var (
	kindRule    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`)
	versionRule = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
)

// check refuses what the API server would, in its own words, and what no Go package can have.
func check(crd *apiextensionsv1.CustomResourceDefinition) error {
	for _, v := range crd.Spec.Versions {
		if v.Schema != nil && deeper(v.Schema.OpenAPIV3Schema, maxSchemaDepth) {
			return fmt.Errorf("version %s: its schema is more than %d levels deep; make it flatter", v.Name, maxSchemaDepth)
		}
	}
	if said := refusals(crd); len(said) > 0 {
		// Where all versions have the same schema, it is checked once, and at a place that v1 has not.
		return fmt.Errorf("the API server would refuse it, correct that first: %s", strings.ReplaceAll(few(said), "spec.validation.", "spec.versions[0].schema."))
	}
	return goable(crd)
}

// refusals are what the API server's own validation has against a CRD, each beginning with its path.
func refusals(definition *apiextensionsv1.CustomResourceDefinition) []string {
	var said []string
	for _, err := range crd.Validate(definition) {
		said = append(said, strings.ReplaceAll(err.Error(), "\n", " "))
	}
	return said
}

func few(said []string) string {
	const most = 10
	if len(said) > most {
		return fmt.Sprintf("%s; and %d more", strings.Join(said[:most], "; "), len(said)-most)
	}
	return strings.Join(said, "; ")
}

// goable refuses names that are none in Go: the kind is the name of a type, and the version that of a package.
func goable(crd *apiextensionsv1.CustomResourceDefinition) error {
	var problems []error
	kind := crd.Spec.Names.Kind
	switch {
	case !kindRule.MatchString(kind):
		problems = append(problems, fmt.Errorf("the kind %q is the name of the Go type, and must be UpperCamelCase of ASCII letters and digits; the CRD needs another kind", kind))
	case reserved[kind] || token.IsKeyword(strings.ToLower(kind)):
		problems = append(problems, fmt.Errorf("the kind %q is a name that Go or the generated code has already; the CRD needs another kind", kind))
	}
	for _, v := range crd.Spec.Versions {
		if !versionRule.MatchString(v.Name) || token.IsKeyword(v.Name) {
			problems = append(problems, fmt.Errorf("the version %q is the name of the Go package, and must be like v1, v1alpha1 or v1beta2; the CRD needs another name for it", v.Name))
		}
	}
	return together(problems)
}

// together makes one error of several, on one line.
func together(problems []error) error {
	var said []string
	for _, p := range problems {
		said = append(said, p.Error())
	}
	if len(said) == 0 {
		return nil
	}
	return errors.New(few(said))
}

func deeper(s *apiextensionsv1.JSONSchemaProps, than int) bool {
	if s == nil {
		return false
	}
	if than == 0 {
		return true
	}
	for _, p := range s.Properties {
		if deeper(&p, than-1) {
			return true
		}
	}
	for _, list := range [][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			if deeper(&list[i], than-1) {
				return true
			}
		}
	}
	return deeper(s.Not, than-1) || s.Items != nil && deeper(s.Items.Schema, than-1) ||
		s.AdditionalProperties != nil && deeper(s.AdditionalProperties.Schema, than-1)
}
