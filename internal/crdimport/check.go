package crdimport

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"regexp"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
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
func refusals(crd *apiextensionsv1.CustomResourceDefinition) []string {
	internal := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd.DeepCopy(), internal, nil); err != nil {
		return []string{err.Error()}
	}
	// The validation looks at what the server keeps as status.
	internal.Status.StoredVersions = nil
	for _, v := range internal.Spec.Versions {
		if v.Storage {
			internal.Status.StoredVersions = append(internal.Status.StoredVersions, v.Name)
		}
	}
	said, broke := validated(internal)
	if broke != nil {
		// It looks up selectable fields in a schema that it could not make structural. What is wrong with that is what counts.
		for i := range internal.Spec.Versions {
			internal.Spec.Versions[i].SelectableFields = nil
		}
		internal.Spec.SelectableFields = nil
		said, broke = validated(internal)
	}
	if broke != nil {
		said = append(said, fmt.Sprintf("spec: its validation breaks off: %v", broke))
	}
	return said
}

// validated runs the API server's validation, and survives it.
func validated(crd *apiextensions.CustomResourceDefinition) (said []string, broke any) {
	defer func() { broke = recover() }()
	for _, problem := range validation.ValidateCustomResourceDefinition(context.Background(), crd) {
		if !strings.HasPrefix(problem.Field, "status.") {
			said = append(said, strings.ReplaceAll(problem.Error(), "\n", " "))
		}
	}
	return said, nil
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
