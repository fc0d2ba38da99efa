// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdctl/crdctl/internal/check/project"
	"github.com/crdctl/crdctl/internal/check/rule"
	"github.com/crdctl/crdctl/internal/crd"
	"github.com/crdctl/crdctl/internal/crd/write"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// probe is a property with a default that is not valid. With it, the API server's validation judges everything but CEL rules, which rules does: the
// server compiles none where a default is wrong.
const probe = "crdctl.dev/probe"

// withProbe is a copy of the CRD with the probe in each version.
func withProbe(c *project.CRD) *apiextv1.CustomResourceDefinition {
	probed := c.DeepCopy()
	for i := range probed.Spec.Versions {
		v := &probed.Spec.Versions[i]
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil || v.Schema.OpenAPIV3Schema.AdditionalProperties != nil {
			continue // the server has reasons enough to compile no rule
		}
		if v.Schema.OpenAPIV3Schema.Properties == nil {
			v.Schema.OpenAPIV3Schema.Properties = map[string]apiextv1.JSONSchemaProps{}
		}
		v.Schema.OpenAPIV3Schema.Properties[probe] = apiextv1.JSONSchemaProps{Type: "string", Default: &apiextv1.JSON{Raw: []byte("0")}}
	}
	return probed
}

// refusals are the errors for which the API server refuses the CRD, those of compiling CEL rules aside.
func refusals(c *project.CRD) (all []rule.Finding, err error) {
	probed := map[string]bool{} // where the server validated defaults: it does so in a schema that is structural only
	for _, problem := range causes(crd.Validate(withProbe(c))) {
		switch {
		case strings.Contains(problem.Field, "["+probe+"]"):
			probed[inSchemas.FindString(problem.Field)] = true
		case problem.Type == field.ErrorTypeInternal:
			return nil, fmt.Errorf("%s: %s", problem.Field, problem.Detail)
		case problem.Type == field.ErrorTypeTooLong && problem.Field == "metadata.annotations":
			// tooLarge reports it
		case problem.Type == field.ErrorTypeRequired && strings.HasPrefix(problem.Field, "spec.conversion.webhookClientConfig") && c.InPackage():
		default:
			all = append(all, refusal(c, problem)...)
		}
	}
	for i := range c.Spec.Versions {
		if !probed["spec.validation.openAPIV3Schema"] && !probed[fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)] {
			all = append(all, masked(c, &c.Spec.Versions[i])...)
		}
	}
	return all, nil
}

// inAlternative is the path of a type that an alternative of a field has.
var inAlternative = regexp.MustCompile(`^(.+\.)(allOf|anyOf|oneOf)\[\d+\]\.type$`)

// wrongRoot is what the API server says of a root that is not an object, besides what it says of any wrong type, and of one with subresources.
const wrongRoot = "must be object at the root"

// causes leaves out errors that say again what another one says, or that are of the probe.
func causes(all field.ErrorList) (some field.ErrorList) {
	lacking, inside := map[string]bool{}, map[string]string{} // by the path of a type that a field lacks: which alternatives have it
	for _, e := range all {
		lacking[e.Field] = lacking[e.Field] || e.Type == field.ErrorTypeRequired
	}
	for _, e := range all {
		if m := inAlternative.FindStringSubmatch(e.Field); m != nil && lacking[m[1]+"type"] {
			inside[m[1]+"type"] = m[2]
		}
	}
	for _, e := range all {
		m := inAlternative.FindStringSubmatch(e.Field)
		switch {
		case m != nil && inside[m[1]+"type"] != "":
		case inside[e.Field] != "":
			some = append(some, &field.Error{Type: e.Type, Field: e.Field, Detail: "must be next to " + inside[e.Field] + ", not in it"})
		case e.Field == "spec.version": // the API server's internal form of the name of the first version
		case e.Field == "spec.preserveUnknownFields" && strings.HasSuffix(e.Detail, "to use defaults in the schema"): // it must not be true in any case
		case e.Type == field.ErrorTypeNotSupported && e.BadValue == "null": // as a type, for which there is an error with a hint
		case e.Detail != wrongRoot && slices.ContainsFunc(all, func(other *field.Error) bool { return other.Field == e.Field && other.Detail == wrongRoot }): // a misspelled object
		case strings.Contains(e.Detail, "Checked value must be of type") && slices.ContainsFunc(all, func(other *field.Error) bool {
			return other.Field == e.Field && strings.Contains(other.Detail, "must be of type") && !strings.Contains(other.Detail, "Checked value")
		}):
		default:
			some = append(some, e)
		}
	}
	return some
}

// masked are the defaults that are not valid in a schema that the server refuses before it looks at defaults. What cannot be told there is left out.
func masked(c *project.CRD, v *apiextv1.CustomResourceDefinitionVersion) (all []rule.Finding) {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil
	}
	problems, paths := defaultsOf(v.Schema.OpenAPIV3Schema)
	for i, problem := range problems {
		all = append(all, rule.New("refused-default", at(c, v.Name, paths[i], "default"), c.Subject(v.Name, paths[i]...), "%s", problem))
	}
	return all
}

// defaultsOf is invalidDefaults for a root that may not be structural, on which the server's code may panic.
func defaultsOf(root *apiextv1.JSONSchemaProps) (problems []string, paths [][]string) {
	defer func() {
		if recover() != nil {
			problems, paths = nil, nil
		}
	}()
	problems, paths, err := invalidDefaults(root, true)
	if err != nil {
		return nil, nil
	}
	return problems, paths
}

var (
	inVersion = lazyregexp.New(`^spec\.versions\[(\d+)\]\.?`)
	inSchemas = lazyregexp.New(`^(?:spec\.versions\[(\d+)\]\.schema|spec\.validation)(?:\.openAPIV3Schema|$)`)
	hoisted   = lazyregexp.New(`^spec\.(validation|subresources|additionalPrinterColumns|selectableFields)\b`)
)

// refusal turns an error into findings. What all versions have in common, the server judges once: it is a finding of each. A value that Helm
// puts in has none.
func refusal(c *project.CRD, problem *field.Error) (all []rule.Finding) {
	if value, ok := problem.BadValue.(string); ok && strings.Contains(value, "{{") && strings.HasPrefix(problem.Field, "metadata.") {
		return nil
	}
	versions := c.Spec.Versions
	if m := inVersion.FindStringSubmatch(problem.Field); m != nil {
		if i, err := strconv.Atoi(m[1]); err == nil && i < len(versions) {
			versions = versions[i : i+1]
		}
	} else if !hoisted.MatchString(problem.Field) {
		versions = nil
	}
	if versions == nil {
		return []rule.Finding{ofDefinition(c, problem)}
	}
	for i := range versions {
		if prefix := inSchemas.FindString(problem.Field); prefix != "" && versions[i].Schema != nil {
			all = append(all, ofSchema(c, &versions[i], problem, strings.TrimPrefix(problem.Field, prefix)))
		} else {
			all = append(all, ofSection(c, &versions[i], problem))
		}
	}
	return all
}

// ofSchema is the finding of an error in a schema.
func ofSchema(c *project.CRD, v *apiextv1.CustomResourceDefinitionVersion, problem *field.Error, rest string) rule.Finding {
	s := locate(v.Schema.OpenAPIV3Schema, rest)
	key, id, message := s.key(), "refused-schema", said(problem, s.rest)
	switch {
	case strings.Contains(problem.Detail, "if the status subresource is enabled"):
		id = "refused-subresource"
		if key == "" { // the detail lists what is allowed
			message = strings.Join(notAtRoot(v.Schema.OpenAPIV3Schema, problem.Detail), ", ") + ": not allowed at the root of the schema if the status subresource is enabled"
		}
	case strings.HasSuffix(problem.Detail, "to be structural"):
	case key == "x-kubernetes-validations":
		id = "refused-cel"
	case slices.Contains([]string{"x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"}, key),
		strings.Contains(problem.Detail, "x-kubernetes-list-"), strings.Contains(problem.Detail, "x-kubernetes-map-"):
		id = "refused-list"
	case key == "default":
		id = "refused-default"
	}
	place := at(c, v.Name, s.path, key)
	if node := project.Lookup(v.Schema.OpenAPIV3Schema, s.path); key == "x-kubernetes-validations" && node != nil && s.item() >= 0 && s.item() < len(node.XValidations) {
		place = ofRule(c, v.Name, s.path, s.item(), node.XValidations[s.item()].Rule, 0)
	}
	if _, inGo := c.GoField(v.Name, s.path); !inGo {
		place = c.InManifest(append([]string{"spec", "versions", index(c, v.Name), "schema", "openAPIV3Schema"}, s.keys...)...)
	}
	return rule.New(id, place, c.Subject(v.Name, s.path...), "%s", message)
}

// notAtRoot are the keys of a root that are not among those that the detail of an error allows, by the names of their Go fields.
func notAtRoot(root *apiextv1.JSONSchemaProps, detail string) (keys []string) {
	allowed := strings.FieldsFunc(detail, func(r rune) bool { return strings.ContainsRune("[] ", r) })
	v := reflect.ValueOf(*root)
	for i := range v.NumField() {
		if f := v.Type().Field(i); !v.Field(i).IsZero() && !slices.Contains(allowed, f.Name) {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			keys = append(keys, key)
		}
	}
	return keys
}

// ofSection is the finding of an error in another part of a version.
func ofSection(c *project.CRD, v *apiextv1.CustomResourceDefinitionVersion, problem *field.Error) rule.Finding {
	rest := strings.TrimPrefix(inVersion.ReplaceAllString(problem.Field, ""), "spec.")
	keys := keysOf(rest)
	id, words := "refused-version", markers[keys[0]]
	switch keys[0] {
	case "subresources":
		id = "refused-subresource"
		words = []string{"subresource:" + strings.Join(keys[1:min(2, len(keys))], "")}
	case "additionalPrinterColumns":
		id = "refused-column"
		if i, err := strconv.Atoi(strings.Join(keys[1:min(2, len(keys))], "")); err == nil && i < len(v.AdditionalPrinterColumns) {
			return rule.New(id, ofColumn(c, v, i), c.Subject(v.Name), "the printer column %s: %s", v.AdditionalPrinterColumns[i].Name, said(problem, keys[len(keys)-1]))
		}
	case "selectableFields":
		id = "refused-selectable-field"
		words = []string{"selectablefield"}
		if i, err := strconv.Atoi(strings.Join(keys[1:min(2, len(keys))], "")); err == nil && i < len(v.SelectableFields) {
			words = []string{"selectablefield:JSONPath=`" + v.SelectableFields[i].JSONPath, `selectablefield:JSONPath="` + v.SelectableFields[i].JSONPath, "selectablefield"}
		}
	case "schema":
		id = "refused-schema"
	}
	return rule.New(id, ofVersion(c, v.Name, words, keys...), c.Subject(v.Name), "%s", said(problem, rest))
}

// ofDefinition is the finding of an error outside of the versions.
func ofDefinition(c *project.CRD, problem *field.Error) rule.Finding {
	keys := keysOf(problem.Field)
	words := []string{"kubebuilder:resource"}
	id := "refused-name"
	switch {
	case strings.HasPrefix(problem.Field, "metadata.labels"):
		words = nil
	case strings.HasPrefix(problem.Field, "spec.group"), strings.HasPrefix(problem.Field, "metadata.annotations"):
		id, words = "refused-group", nil
	case strings.HasPrefix(problem.Field, "spec.conversion"):
		id, words = "refused-conversion", nil
	case strings.HasPrefix(problem.Field, "spec.version"):
		id, words = "refused-version", markers["storage"]
	case strings.HasPrefix(problem.Field, "spec.preserveUnknownFields"):
		id, words = "refused-schema", nil
	}
	place := c.InManifest(keys...)
	if version := storage(c); version != "" && words != nil {
		if at := ofVersion(c, version, words); at.File != c.File {
			place = at
		}
	}
	return rule.New(id, place, c.Subject(""), "%s", said(problem, problem.Field))
}

// storage is the version that is stored, or the last.
func storage(c *project.CRD) (name string) {
	for _, v := range c.Spec.Versions {
		name = v.Name
		if v.Storage {
			return name
		}
	}
	return name
}

// The API server's internal form of a CRD has other names for some parts.
var renamed = strings.NewReplacer("JSONPath", "jsonPath", "webhookClientConfig", "webhook.clientConfig", "conversion.conversionReviewVersions", "conversion.webhook.conversionReviewVersions")

// keysOf splits the path of an error.
func keysOf(path string) []string {
	return strings.FieldsFunc(renamed.Replace(path), func(r rune) bool { return strings.ContainsRune(".[]", r) })
}

// said is what an error says: never its value if that is long, as schemas are.
func said(problem *field.Error, about string) string {
	detail := strings.TrimPrefix(strings.Join(strings.Fields(problem.Detail), " "), "in body ")
	detail = write.WithoutExamples(detail)
	detail = strings.TrimSuffix(strings.TrimPrefix(detail, "Checked value "), " in") // which has no path
	switch {
	case detail != "":
	case problem.Type == field.ErrorTypeRequired:
		detail = "is required"
	default:
		detail = strings.ToLower(problem.Type.String())
	}
	about = renamed.Replace(about)
	if value, ok := problem.BadValue.(string); ok && value != "" && len(value) <= 80 && !strings.Contains(value, "\n") &&
		(problem.Type == field.ErrorTypeNotSupported || !strings.Contains(detail, value)) && // "int" is in "integer"
		slices.Contains([]field.ErrorType{field.ErrorTypeInvalid, field.ErrorTypeNotSupported, field.ErrorTypeDuplicate}, problem.Type) {
		about += " " + strconv.Quote(value)
	}
	within, isDefault := strings.CutPrefix(about, "default")
	isDefault = isDefault && !strings.HasSuffix(detail, "to be structural") // such a value is not looked at
	switch within = strings.TrimPrefix(within, "."); {
	case about == "":
		return detail
	case isDefault && problem.Type != field.ErrorTypeRequired && within == "":
		return "the default is not valid: " + detail
	case isDefault && problem.Type != field.ErrorTypeRequired:
		return "the default is not valid: " + within + ": " + detail
	}
	return about + ": " + detail
}
