// SPDX-License-Identifier: Apache-2.0

package corpus

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/corpus/roundtrip"
	"github.com/crdctl/crdctl/internal/crdimport"
)

// back makes CRDs of imported types, in the order of the definitions and of their versions.
func back(t *testing.T, definitions []*crdimport.Definition) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	t.Setenv("GOFLAGS", "")
	var types []roundtrip.Types
	for _, d := range definitions {
		for _, v := range d.Versions {
			types = append(types, roundtrip.Types{Group: d.Group, Version: v.Name, Kind: d.Kind, File: v.Types})
		}
	}
	made, err := roundtrip.Back(t.Context(), t.TempDir(), "../..", types)
	require.NoError(t, err)
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, d := range definitions {
		one, ok := made[d.CRD.Name]
		require.True(t, ok, "no CRD was made of %s", d.CRD.Name)
		place := func(v apiextensionsv1.CustomResourceDefinitionVersion) int {
			return slices.IndexFunc(d.Versions, func(of crdimport.Version) bool { return of.Name == v.Name })
		}
		slices.SortFunc(one.Spec.Versions, func(a, b apiextensionsv1.CustomResourceDefinitionVersion) int { return place(a) - place(b) })
		apiextensionsv1.SetDefaults_CustomResourceDefinition(one)
		all = append(all, one)
	}
	return all
}

// imported imports all CRDs of a source, by name.
func imported(t *testing.T, s roundtrip.Source) []*crdimport.Definition {
	t.Helper()
	files, err := s.Files(t.Context(), t.TempDir())
	require.NoError(t, err)
	var all []*crdimport.Definition
	for _, f := range files {
		if !strings.Contains(string(f.Content), "kind: CustomResourceDefinition") {
			continue
		}
		read, err := crdimport.Read(f.Name, f.Content, nil)
		assert.NoError(t, err, s.Name)
		all = append(all, read...)
	}
	slices.SortFunc(all, func(a, b *crdimport.Definition) int { return strings.Compare(a.CRD.Name, b.CRD.Name) })
	return all
}

// golden are the definitions of crdimport's own cases that are not errors.
func golden(t *testing.T) (all []*crdimport.Definition) {
	t.Helper()
	files, err := filepath.Glob("../../internal/crdimport/testdata/*.txtar")
	require.NoError(t, err, "no cases")
	require.NotEmpty(t, files, "no cases")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		if read, err := crdimport.Read(archive.Files[0].Name, archive.Files[0].Data, nil); err == nil {
			all = append(all, read...)
		}
	}
	return all
}

func TestGolden(t *testing.T) {
	equal(t, golden(t))
}

// Kinds whose names run into each other share a package.
func TestKindsOfOnePackage(t *testing.T) {
	const crd = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "PLURAL.example.com"}, "spec": {
		"group": "example.com", "scope": "Namespaced", "names": {"kind": "KIND", "plural": "PLURAL"}, "versions": [{"name": "v1", "served": true, "storage": true,
		"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
			"bar": {"type": "object", "properties": {
				"spec": {"type": "object", "properties": {"KIND": {"type": "string"}}},
				"list": {"type": "object", "properties": {"a": {"type": "string"}}}}},
			"barSpec": {"type": "object", "properties": {"b": {"type": "string"}}},
			"special": {"type": "string"}}}}}}}]}}` + "\n"
	input := ""
	for _, kind := range []string{"Foo", "FooBar", "FooSpecial"} {
		input += strings.NewReplacer("KIND", kind, "PLURAL", strings.ToLower(kind)+"s").Replace(crd)
	}
	all, err := crdimport.Read("crds.json", []byte(input), nil)
	require.NoError(t, err)
	require.Len(t, all, 3)
	declared := map[string]string{}
	for _, d := range all {
		for line := range strings.Lines(string(d.Versions[0].Types)) {
			if name, ok := strings.CutPrefix(line, "type "); ok {
				name, _, _ = strings.Cut(name, " ")
				assert.Empty(t, declared[name], "%s both have a type %s", d.Kind, name)
				declared[name] = d.Kind
			}
		}
	}
	equal(t, all)
}
