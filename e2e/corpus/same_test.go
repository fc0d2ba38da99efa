// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/crdctl/crdctl/internal/crd"
	"github.com/crdctl/crdctl/internal/crdimport"
	"github.com/crdctl/crdctl/internal/crdimport/normalize"
)

type schema = apiextensionsv1.JSONSchemaProps

// difference is one keyword at one place of which two schemas say different things.
type difference struct{ path, keyword, was, is string }

func (d difference) String() string {
	return fmt.Sprintf("%s: %s: was %s, is %s", d.path, d.keyword, d.was, d.is)
}

// differences are those between the meanings of two schemas: descriptions, titles and examples mean nothing to an API server;
// nor do keywords for another type than the schema has, the order of required, enum and rules, and the two ways to write
// int-or-string.
func differences(was, is *schema, at string) (all []difference) {
	a, b := meaning(was, at == ""), meaning(is, at == "")
	for keyword := range sets.KeySet(a).Union(sets.KeySet(b)) {
		if !reflect.DeepEqual(a[keyword], b[keyword]) {
			all = append(all, difference{cmp.Or(at, "."), keyword, text(a[keyword]), text(b[keyword])})
		}
	}
	for name := range sets.KeySet(was.Properties).Union(sets.KeySet(is.Properties)) {
		if at == "" && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			continue // the API server knows them
		}
		path := string(normalize.Path(at).Field(name)) // as losses have it
		p, inWas := was.Properties[name]
		q, inIs := is.Properties[name]
		if !inWas || !inIs {
			all = append(all, difference{path, "properties", fmt.Sprint(inWas), fmt.Sprint(inIs)})
			continue
		}
		all = append(all, differences(&p, &q, path)...)
	}
	items := func(s *schema) *schema {
		if s.Items == nil {
			return nil
		}
		return s.Items.Schema
	}
	values := func(s *schema) *schema {
		if s.AdditionalProperties == nil {
			return nil
		}
		return s.AdditionalProperties.Schema
	}
	all = append(all, below(items(was), items(is), at+"[*]", "items")...)
	if values(was) == nil && was.AdditionalProperties != nil {
		return all // true, of which meaning has told
	}
	return append(all, below(values(was), values(is), at+".*", "additionalProperties")...)
}

func below(was, is *schema, at string, keyword string) []difference {
	switch {
	case was == nil && is == nil:
		return nil
	case was == nil || is == nil:
		return []difference{{at, keyword, fmt.Sprint(was != nil), fmt.Sprint(is != nil)}}
	}
	return differences(was, is, at)
}

// meaning is what a schema says of its own level, by keyword.
func meaning(s *schema, root bool) map[string]any {
	m := map[string]any{}
	set := func(keyword string, value any) {
		if v := reflect.ValueOf(value); value != nil && !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0) {
			m[keyword] = value
		}
	}
	set("type", s.Type)
	set("format", s.Format)
	set("nullable", s.Nullable)
	set("x-kubernetes-int-or-string", s.XIntOrString)
	set("x-kubernetes-embedded-resource", s.XEmbeddedResource)
	set("x-kubernetes-preserve-unknown-fields", s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields)
	if s.XListType != nil {
		set("x-kubernetes-list-type", *s.XListType)
	}
	set("x-kubernetes-list-map-keys", slices.Sorted(slices.Values(s.XListMapKeys)))
	if s.XMapType != nil {
		set("x-kubernetes-map-type", *s.XMapType)
	}
	if s.Default != nil {
		m["default"] = exact(s.Default.Raw)
	}
	var enum []string
	for _, v := range s.Enum {
		enum = append(enum, text(exact(v.Raw)))
	}
	slices.Sort(enum)
	set("enum", enum)
	textual := s.Type == "string" || s.XIntOrString || s.Type == ""
	numeric := s.Type == "integer" || s.Type == "number" || s.XIntOrString || s.Type == ""
	if textual {
		set("pattern", s.Pattern)
		set("minLength", s.MinLength)
		set("maxLength", s.MaxLength)
	}
	if numeric {
		set("minimum", s.Minimum)
		set("maximum", s.Maximum)
		set("multipleOf", s.MultipleOf)
		set("exclusiveMinimum", s.ExclusiveMinimum && s.Minimum != nil)
		set("exclusiveMaximum", s.ExclusiveMaximum && s.Maximum != nil)
	}
	if s.Type == "array" {
		set("minItems", s.MinItems)
		set("maxItems", s.MaxItems)
	}
	if s.Type == "object" {
		set("minProperties", s.MinProperties)
		set("maxProperties", s.MaxProperties)
		required := slices.Compact(slices.Sorted(slices.Values(s.Required)))
		if root {
			required = slices.DeleteFunc(required, func(r string) bool { return r == "apiVersion" || r == "kind" || r == "metadata" })
		}
		set("required", required)
		if a := s.AdditionalProperties; a != nil && a.Schema == nil {
			set("additionalProperties", a.Allows)
		}
	}
	var rules []string
	for _, v := range s.XValidations {
		rules = append(rules, text(v))
	}
	slices.Sort(rules)
	set("x-kubernetes-validations", slices.Compact(rules))
	for keyword, branches := range map[string][]schema{"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf} {
		if s.XIntOrString && keyword == "anyOf" && len(branches) == 2 && branches[0].Type == "integer" && branches[1].Type == "string" {
			continue
		}
		var all []string
		for _, b := range branches {
			all = append(all, text(b))
		}
		set(keyword, all)
	}
	if s.Not != nil {
		set("not", text(*s.Not))
	}
	return m
}

func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// unlisted compares an imported CRD with the one that was made of its types: the differences that no loss lists, and the losses
// without a difference.
func unlisted(d *crdimport.Definition, made *apiextensionsv1.CustomResourceDefinition) (all []string) {
	said := func(what string, was, is any) {
		if !reflect.DeepEqual(was, is) {
			all = append(all, fmt.Sprintf("%s: was %s, is %s", what, text(was), text(is)))
		}
	}
	was, is := d.CRD.Spec, made.Spec
	said("name", d.CRD.Name, made.Name)
	said("group", was.Group, is.Group)
	said("scope", was.Scope, is.Scope)
	names := func(n apiextensionsv1.CustomResourceDefinitionNames) apiextensionsv1.CustomResourceDefinitionNames {
		if slices.ContainsFunc(d.Versions[0].Losses, func(l crdimport.Loss) bool { return l.Path == "crd.spec.names.listKind" }) {
			n.ListKind = ""
		}
		if len(n.ShortNames) == 0 {
			n.ShortNames = nil
		}
		if len(n.Categories) == 0 {
			n.Categories = nil
		}
		return n
	}
	said("names", names(was.Names), names(is.Names))
	for key, value := range d.Annotations {
		said("annotation "+key, value, made.Annotations[key])
	}
	normalized := d.Normalized()
	for i, v := range was.Versions {
		if i >= len(is.Versions) || is.Versions[i].Name != v.Name {
			return append(all, "no version "+v.Name)
		}
		w := is.Versions[i]
		in := "version " + v.Name + " "
		said(in+"served", v.Served, w.Served)
		said(in+"storage", v.Storage, w.Storage)
		said(in+"deprecated", v.Deprecated, w.Deprecated)
		said(in+"deprecationWarning", v.DeprecationWarning, w.DeprecationWarning)
		said(in+"columns", text(v.AdditionalPrinterColumns), text(w.AdditionalPrinterColumns))
		said(in+"selectableFields", text(v.SelectableFields), text(w.SelectableFields))
		said(in+"subresources", subresources(v), subresources(w))
		listed := map[string]bool{}
		for _, l := range d.Versions[i].Losses {
			keyword, _, _ := strings.Cut(l.What, ":")
			if !strings.HasPrefix(l.Path, "crd.") && keyword != "in Go" {
				listed[l.Path+" "+keyword] = true
			}
		}
		found := map[string]bool{}
		for _, difference := range differences(normalized[i], w.Schema.OpenAPIV3Schema, "") {
			key := difference.path + " " + difference.keyword
			if found[key] = true; !listed[key] {
				all = append(all, in+difference.String())
			}
		}
		for key := range listed {
			if !found[key] && !strings.HasPrefix(key, "metadata.") {
				all = append(all, in+"a loss that is none: "+key)
			}
		}
	}
	slices.Sort(all)
	return all
}

func subresources(v apiextensionsv1.CustomResourceDefinitionVersion) string {
	if v.Subresources == nil || v.Subresources.Status == nil && v.Subresources.Scale == nil {
		return ""
	}
	return text(v.Subresources)
}

// fieldCount counts the properties of a schema, at all levels.
func fieldCount(s *schema) int {
	n := len(s.Properties)
	crd.EachBelow(s, func(below *schema) { n += fieldCount(below) })
	return n
}

// exact is a JSON value with its numbers as fractions: two ways to write a number are one value, and none is rounded.
func exact(raw []byte) any {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return nil
	}
	return fractions(value)
}

func fractions(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for k, v := range value {
			value[k] = fractions(v)
		}
	case []any:
		for i, v := range value {
			value[i] = fractions(v)
		}
	case json.Number:
		if r, ok := new(big.Rat).SetString(value.String()); ok {
			return "number " + r.RatString()
		}
	}
	return value
}
