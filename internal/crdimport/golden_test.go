// SPDX-License-Identifier: Apache-2.0

package crdimport

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/e2e/corpus/roundtrip"
	"github.com/crdctl/crdctl/internal/crdimport/gotypes"
	"github.com/crdctl/crdctl/internal/gen/crdform"
)

// The cases of testdata have an input file, crd.yaml or crd.json, and what is made of it: types of each version, with what
// is reported of them in the file said.txt, or error.txt alone.
func golden(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err, "no cases")
	require.NotEmpty(t, files, "no cases")
	all := map[string]*txtar.Archive{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err, file)
		require.NotEmpty(t, archive.Files, file)
		all[file] = archive
	}
	return all
}

var update = flag.Bool("update", false, "write the golden files anew")

func TestGolden(t *testing.T) {
	for file, archive := range golden(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			input := archive.Files[0]
			got := &txtar.Archive{Comment: archive.Comment, Files: []txtar.File{input}}
			add := func(name, text string) {
				if text != "" {
					got.Files = append(got.Files, txtar.File{Name: name, Data: []byte(text)})
				}
			}
			all, err := Read(input.Name, input.Data, nil)
			if err != nil {
				add("error.txt", err.Error()+"\n")
			}
			said := ""
			for _, d := range all {
				for _, n := range d.Notes {
					said += d.Kind + ": " + n + "\n"
				}
				for _, v := range d.Versions {
					for _, l := range v.Losses {
						said += d.Kind + " " + v.Name + " loses " + l.String() + "\n"
					}
				}
			}
			add("said.txt", said)
			for _, d := range all {
				for _, v := range d.Versions {
					add(v.Name+"/"+strings.ToLower(d.Kind)+".go", string(v.Types))
				}
			}
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(got), 0o644))
				return
			}
			require.Equal(t, string(txtar.Format(archive)), string(txtar.Format(got)), "run this test with -update and look at the diff of %s", file)
		})
	}
}

type schema = apiextensionsv1.JSONSchemaProps

// What known.go says of types of Kubernetes is what controller-tools says of them.
func TestKnownTypes(t *testing.T) {
	spec := schema{Type: "object", Properties: map[string]schema{
		"conditions": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: gotypes.ConditionSchema()}}, "selector": *gotypes.LabelSelectorSchema(),
	}}
	input, err := json.Marshal(crdOf("known.example.com", "Known", spec))
	require.NoError(t, err)
	all, err := Read("known.json", input, nil)
	require.NoError(t, err)
	for _, want := range []string{"Conditions []metav1.Condition `", "Selector *metav1.LabelSelector `"} {
		assert.Contains(t, strings.Join(strings.Fields(string(all[0].Versions[0].Types)), " "), want, "no: %s", all[0].Versions[0].Types)
	}
	t.Setenv("GOFLAGS", "")
	types := []roundtrip.Types{{Group: all[0].Group, Version: "v1", Kind: all[0].Kind, File: all[0].Versions[0].Types}}
	made, err := roundtrip.Back(t.Context(), t.TempDir(), "../..", types)
	require.NoError(t, err)
	spec = made[all[0].CRD.Name].Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	conditions, selector := spec.Properties["conditions"], spec.Properties["selector"]
	assert.True(t, gotypes.Equal(conditions.Items.Schema, gotypes.ConditionSchema()), "controller-tools %s makes %v", crdform.Version, conditions.Items.Schema)
	assert.True(t, gotypes.Equal(&selector, gotypes.LabelSelectorSchema()), "controller-tools %s makes %v", crdform.Version, &selector)
}

// crdOf is a CRD with one version.
func crdOf(group, kind string, spec schema) *apiextensionsv1.CustomResourceDefinition {
	plural := strings.ToLower(kind) + "s"
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: kind, Plural: plural},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &schema{Type: "object", Properties: map[string]schema{"spec": spec}}},
			}},
		},
	}
}
