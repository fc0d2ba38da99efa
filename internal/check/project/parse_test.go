// SPDX-License-Identifier: Apache-2.0

package project

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// A CRD that lacks what the API server requires is refused; a patch, which lacks more, is skipped.
func TestIncomplete(t *testing.T) {
	head := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n"
	for text, want := range map[string]string{
		"spec: {names: {kind: Thing}, versions: [{name: v1}]}":               "f.yaml:4:1: CustomResourceDefinition things.example.com: spec.group is empty",
		"spec: {group: example.com, names: {kind: Thing, plural: things}}":   "f.yaml:4:1: CustomResourceDefinition things.example.com: spec.versions is empty",
		"spec: {group: example.com, versions: [], names: {kind: Thing}}":     "f.yaml:4:28: CustomResourceDefinition things.example.com: spec.versions is empty",
		"spec: {group: example.com, scope: Cluster, versions: [{name: v1}]}": "f.yaml:4:1: CustomResourceDefinition things.example.com: spec.names.kind is empty",
		"spec: null": "f.yaml:4:1: CustomResourceDefinition things.example.com: spec is empty",
		"":           "",
		"spec: {conversion: {strategy: Webhook}}":                                "",
		"spec: {preserveUnknownFields: false}":                                   "",
		"spec: {names: {kind: Thing, categories: [all]}}":                        "",
		"spec: {versions: [{name: v1, schema: {openAPIV3Schema: {}}}]}":          "",
		"spec: {group: example.com, versions: [{name: v1, deprecated: true}]}":   "",
		"spec: {group: example.com, names: {kind: A}, versions: [{name: v1}]}\n": "",
	} {
		crds, err := Parse("f.yaml", []byte(head+text))
		if want == "" {
			assert.NoError(t, err, text)
			assert.Equal(t, strings.HasSuffix(text, "\n"), len(crds) == 1, text)
			continue
		}
		assert.EqualError(t, err, want, text)
		assert.Empty(t, crds, text)
	}
}

// A list has the CRDs of its items, with their places.
func TestParseLists(t *testing.T) {
	item := "- " + strings.ReplaceAll(strings.TrimSpace(manifest), "\n", "\n  ") + "\n"
	broken := "- {apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: b}, spec: null}\n"
	for _, head := range []string{"apiVersion: v1\nkind: List\n", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\n"} {
		crds, err := Parse("f.yaml", []byte("# comment\n---\n"+head+"items:\n- {apiVersion: v1, kind: Service, metadata: {name: a}}\n"+item+broken))
		require.EqualError(t, err, "f.yaml:14:94: CustomResourceDefinition b: spec is empty")
		require.Len(t, crds, 1)
		assert.Equal(t, "things.example.com", crds[0].Name)
		assert.Equal(t, 7, crds[0].Line)
		assert.Equal(t, "f.yaml:11:5", crds[0].InManifest("spec", "group").String())
		again, err := (&Project{CRDs: crds}).Parse("f.yaml", []byte(head+"items:\n"+item+item))
		require.NoError(t, err)
		assert.Len(t, again, 2)
	}
	none, err := Parse("f.yaml", []byte("kind: List\nitems: x\n"))
	require.NoError(t, err)
	assert.Empty(t, none)
	said, err := Parse("f.yaml", []byte(strings.Replace(manifest, "served: x", `default: {kind: List}`, 1)))
	require.NoError(t, err)
	assert.Len(t, said, 1)
}

// All JSON objects of a file are read.
func TestParseJSONStream(t *testing.T) {
	asJSON, err := yaml.YAMLToJSON([]byte(manifest))
	require.NoError(t, err)
	var indented strings.Builder
	e := json.NewEncoder(&indented)
	e.SetIndent("", "  ")
	for _, name := range []string{"a.example.com", "b.example.com"} {
		require.NoError(t, e.Encode(json.RawMessage(strings.ReplaceAll(string(asJSON), "things.example.com", name))))
	}
	text := indented.String()
	crds, err := Parse("f.json", []byte(text))
	require.NoError(t, err)
	require.Len(t, crds, 2)
	assert.Equal(t, "b.example.com", crds[1].Name)
	second := strings.Count(text[:strings.Index(text, "}\n{")], "\n") + 2
	assert.Equal(t, second, crds[1].Line)
	assert.Equal(t, second+1, crds[1].InManifest("apiVersion").Line)
	_, err = Parse("f.json", []byte(text+"{\n  broken"))
	assert.Error(t, err)
}

// A value of the wrong type has its place.
func TestWrongValue(t *testing.T) {
	for value, want := range map[string]string{
		"maxLength: 1.5":                     "12:26: CustomResourceDefinition things.example.com: spec.versions.schema.openAPIV3Schema.properties.maxLength must be of type int64",
		"maxLength: 99999999999999999999999": "12:26: CustomResourceDefinition things.example.com: spec.versions.schema.openAPIV3Schema.properties.maxLength must be of type int64",
		"maxLength: 9223372036854775808":     "12:26: CustomResourceDefinition things.example.com: spec.versions.schema.openAPIV3Schema.properties.maxLength must be of type int64",
		"maxLength: x":                       "12:26: CustomResourceDefinition things.example.com: spec.versions.schema.openAPIV3Schema.properties.maxLength must be of type int64",
		"maxLength: [x]":                     "12:26: CustomResourceDefinition things.example.com: spec.versions.schema.openAPIV3Schema.properties.maxLength must be of type int64",
		"maximum: x":                         "12:24: CustomResourceDefinition things.example.com: spec.versions.schema.openAPIV3Schema.properties.maximum must be of type float64",
		"maxLength: 1e3":                     "",
		"maxLength: 9223372036854775807":     "",
		"maximum: 99999999999999999999999":   "",
	} {
		_, err := Parse("f.yaml", []byte(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          a: {`+value+"}\n"))
		if want == "" {
			assert.NoError(t, err, value)
			continue
		}
		assert.ErrorContains(t, err, "f.yaml:"+want, value)
	}
}
