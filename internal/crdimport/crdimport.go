// Package crdimport makes Go types with markers from CustomResourceDefinitions that exist: the way back from what
// internal/gen/crdgen makes of Go types.
//
// It writes no files, decides on no folders, and runs no generator: Read takes bytes and returns bytes. What Go types and
// markers cannot say is listed with the version that it is lost from; nothing is dropped without a word.
package crdimport

import (
	"errors"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Definition is one CRD and the Go types of its versions.
type Definition struct {
	Group, Kind, Plural, Singular, ListKind string
	ShortNames, Categories                  []string
	Namespaced                              bool
	// Annotations are those that the CRD must keep, api-approved.kubernetes.io among them.
	Annotations map[string]string
	// Versions are in the order of the CRD.
	Versions []Version
	// Notes say what was done to the input before anything was made of it, a sentence each.
	Notes []string
	// CRD is the v1 form that the types were made from.
	CRD *apiextensionsv1.CustomResourceDefinition

	place string // in the input, as file:line
}

// Version is one version of a CRD as a Go package has it.
type Version struct {
	Name                           string
	Served, Storage, Status, Scale bool
	// Imports are what Types imports beside metav1, path by alias.
	Imports map[string]string
	// Types is a complete Go file, formatted, without a header.
	Types []byte
	// Losses are what Go types and markers cannot say.
	Losses []Loss
}

// Loss is something that a CRD says and its Go types do not.
type Loss struct {
	// Path is where, such as spec.template.foo[*]; a value of a map is foo.*, and what is said outside of the schema
	// begins with "crd.".
	Path string
	// What begins with the keyword that is lost and ends in what that means.
	What string
}

// String is the loss in one line.
func (l Loss) String() string { return l.Path + ": " + l.What }

// Read returns the CRDs of a file's documents, YAML or JSON. Documents of other kinds are noted and passed over. All that
// is wrong with the file is in one error. Declared are the names that the Go package of a group's version has already, and that
// no type gets; nil is none.
func Read(name string, content []byte, declared func(group, version string) []string) ([]*Definition, error) {
	docs, err := documents(name, content)
	if err != nil {
		return nil, err
	}
	var all []*Definition
	var problems []error
	var others []string
	taken := map[string]names{} // of the Go packages, by group and version
	seen := map[string]string{}
	for _, doc := range docs {
		if doc.kind != "CustomResourceDefinition" {
			others = append(others, doc.String())
			continue
		}
		d, err := doc.definition()
		if err == nil && seen[d.CRD.Name] != "" {
			err = fmt.Errorf("%s has this CustomResourceDefinition too; leave one of them", seen[d.CRD.Name])
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: CustomResourceDefinition %s: %w", doc.place(), doc.called(), err))
			continue
		}
		seen[d.CRD.Name] = doc.place()
		all = append(all, d)
		for _, v := range d.CRD.Spec.Versions {
			reserve(taken, d, v.Name)
			if declared != nil {
				for _, name := range declared(d.Group, v.Name) {
					taken[d.Group+"/"+v.Name][name] = true
				}
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no CustomResourceDefinition in it%s; name a file that has one", name, found(others))
	}
	for _, other := range others {
		all[0].Notes = append(all[0].Notes, other+" is no CustomResourceDefinition, and was passed over")
	}
	for _, d := range all {
		if err := d.makeTypes(taken); err != nil {
			problems = append(problems, fmt.Errorf("%s: CustomResourceDefinition %s: %w", seen[d.CRD.Name], d.CRD.Name, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}

// found says what a file has in the place of a CRD, briefly.
func found(others []string) string {
	const most = 3
	switch {
	case len(others) == 0:
		return ""
	case len(others) > most:
		return fmt.Sprintf(", but %s and %d more", strings.Join(others[:most], ", "), len(others)-most)
	default:
		return ", but " + strings.Join(others, ", ")
	}
}
