package crdimport

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crdimport/roundtrip"
)

// back makes CRDs of imported types, in the order of the definitions and of their versions.
func back(t *testing.T, definitions []*Definition) []*apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	t.Setenv("GOFLAGS", "")
	var types []roundtrip.Types
	for _, d := range definitions {
		for _, v := range d.Versions {
			types = append(types, roundtrip.Types{Group: d.Group, Version: v.Name, Kind: d.Kind, File: v.Types})
		}
	}
	made, err := roundtrip.Back(t.Context(), t.TempDir(), "../..", types)
	if err != nil {
		t.Fatal(err)
	}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, d := range definitions {
		one, ok := made[d.CRD.Name]
		if !ok {
			t.Fatalf("no CRD was made of %s", d.CRD.Name)
		}
		place := func(v apiextensionsv1.CustomResourceDefinitionVersion) int {
			return slices.IndexFunc(d.Versions, func(of Version) bool { return of.Name == v.Name })
		}
		slices.SortFunc(one.Spec.Versions, func(a, b apiextensionsv1.CustomResourceDefinitionVersion) int { return place(a) - place(b) })
		apiextensionsv1.SetDefaults_CustomResourceDefinition(one)
		all = append(all, one)
	}
	return all
}

// imported imports all CRDs of a source, by name.
func imported(t *testing.T, s roundtrip.Source) []*Definition {
	t.Helper()
	files, err := s.Files(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var all []*Definition
	for _, f := range files {
		if !strings.Contains(string(f.Content), "kind: CustomResourceDefinition") {
			continue
		}
		read, err := Read(f.Name, f.Content, nil)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		all = append(all, read...)
	}
	slices.SortFunc(all, func(a, b *Definition) int { return strings.Compare(a.CRD.Name, b.CRD.Name) })
	return all
}

func lay(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}
