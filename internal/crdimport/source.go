package crdimport

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const metav1Path = "k8s.io/apimachinery/pkg/apis/meta/v1"

// makeTypes makes the types of all versions of a CRD.
func (d *Definition) makeTypes(taken map[string]names) error {
	said := d.restate()
	var problems []error
	for i := range d.CRD.Spec.Versions {
		v := &d.CRD.Spec.Versions[i]
		made, err := d.makeVersion(v, said[i], taken[d.Group+"/"+v.Name])
		if err != nil {
			problems = append(problems, fmt.Errorf("version %s: %w", v.Name, err))
		}
		d.Versions = append(d.Versions, made)
	}
	return together(problems)
}

func (d *Definition) makeVersion(v *apiextensionsv1.CustomResourceDefinitionVersion, s *schema, taken names) (Version, error) {
	b := &builder{kind: d.Kind, imports: map[string]string{}, shared: map[string]int{}}
	root := b.root(d, v, s)
	if err := together(b.problems); err != nil {
		return Version{}, err
	}
	body := b.assemble(root, taken)
	types, err := file(v.Name, b.imports, body)
	if err != nil {
		return Version{}, err
	}
	slices.SortStableFunc(b.losses, func(a, b Loss) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.What, b.What)) })
	return Version{
		Name: v.Name, Served: v.Served, Storage: v.Storage,
		Status:  v.Subresources != nil && v.Subresources.Status != nil,
		Scale:   v.Subresources != nil && v.Subresources.Scale != nil,
		Imports: b.imports, Types: types, Losses: b.losses,
	}, nil
}

// file makes a Go file of a version's types.
func file(version string, imports map[string]string, body string) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "package %s\n\nimport (\n", version)
	for alias, path := range imports {
		if alias == "json" {
			fmt.Fprintf(&out, "\t%q\n\n", path)
		}
	}
	fmt.Fprintf(&out, "\tmetav1 %q\n", metav1Path)
	for _, alias := range slices.Sorted(maps.Keys(imports)) {
		if path := imports[alias]; alias != "json" {
			fmt.Fprintf(&out, "\t%q\n", path)
		}
	}
	out.WriteString(")\n\n" + body)
	// Comments are formatted too, and what that makes of them may be formatted again.
	const rounds = 5
	made := out.Bytes()
	for range rounds {
		next, err := format.Source(made)
		if err != nil {
			return nil, fmt.Errorf("crdctl made Go of it that is none (a fault of crdctl; report it with the CRD): %w", err)
		}
		if bytes.Equal(next, made) {
			return made, nil
		}
		made = next
	}
	return nil, errors.New("crdctl made Go of it that gofmt does not leave alone (a fault of crdctl; report it with the CRD)")
}
