// SPDX-License-Identifier: Apache-2.0

// Package gotypes writes Go types with markers for the normalized schemas of a CRD.
//
// It reads no CRDs. What Go types and markers cannot express is listed with the version that it is lost from.
package gotypes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdctl/crdctl/internal/crdimport/document"
)

const metav1Path = "k8s.io/apimachinery/pkg/apis/meta/v1"

// Version is one version of a CRD as a Go package has it.
type Version struct {
	Name                           string
	Served, Storage, Status, Scale bool
	// Imports are what Types imports besides metav1, path by alias.
	Imports map[string]string
	// Types is a complete Go file, formatted, without a header.
	Types []byte
	// Losses are what Go types and markers cannot say.
	Losses []Loss
}

// Loss is something that a CRD says and its Go types do not.
type Loss struct {
	// Path is where, such as spec.template.foo[*]; a value of a map is foo.*, and what stands outside of the schema
	// begins with "crd.".
	Path string
	// What begins with the keyword that is lost and ends in what that means.
	What string
}

// String is the loss in one line.
func (l Loss) String() string { return l.Path + ": " + l.What }

// Make makes the Go types of all versions of a CRD, whose schemas are normalized. taken returns the names of a version's package.
func Make(d *document.Definition, schemas []*schema, taken func(version string) Names) ([]Version, error) {
	var all []Version
	var problems []error
	for i := range d.CRD.Spec.Versions {
		v := &d.CRD.Spec.Versions[i]
		made, err := makeVersion(d, v, schemas[i], taken(v.Name))
		if err != nil {
			problems = append(problems, fmt.Errorf("version %s: %w", v.Name, err))
		}
		all = append(all, made)
	}
	return all, together(problems)
}

func makeVersion(d *document.Definition, v *apiextensionsv1.CustomResourceDefinitionVersion, s *schema, taken Names) (Version, error) {
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
	if path, ok := imports["json"]; ok { // of the standard library
		fmt.Fprintf(&out, "\t%q\n\n", path)
	}
	fmt.Fprintf(&out, "\tmetav1 %q\n", metav1Path)
	for _, alias := range slices.Sorted(maps.Keys(imports)) {
		if alias != "json" {
			fmt.Fprintf(&out, "\t%q\n", imports[alias])
		}
	}
	out.WriteString(")\n\n" + body)
	// Comments are formatted too, and what that makes of them may be formatted again.
	const rounds = 5
	made := out.Bytes()
	for range rounds {
		next, err := format.Source(made)
		if err != nil {
			return nil, fmt.Errorf("crdctl generated invalid Go (a bug in crdctl; report it with the CRD): %w", err)
		}
		if bytes.Equal(next, made) {
			return made, nil
		}
		made = next
	}
	return nil, errors.New("crdctl generated Go that is not formatted (a bug in crdctl; report it with the CRD)")
}
