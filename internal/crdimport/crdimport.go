// SPDX-License-Identifier: Apache-2.0

// Package crdimport makes Go types with markers from CustomResourceDefinitions that exist: the way back from what
// internal/gen/crdgen makes of Go types.
//
// It writes no files, decides on no directories, and runs no generator: Read takes bytes and returns bytes: package document reads CRDs, normalize rewrites their schemas, gotypes
// writes Go. What Go types and
// markers cannot say is listed with the version that it is lost from; nothing is dropped silently.
package crdimport

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"errors"
	"fmt"

	"github.com/crdctl/crdctl/internal/crdimport/document"
	"github.com/crdctl/crdctl/internal/crdimport/gotypes"
	"github.com/crdctl/crdctl/internal/crdimport/normalize"
)

// Definition is one CRD and the Go types of its versions.
type Definition struct {
	*document.Definition
	// Versions are in the order of the CRD.
	Versions []Version
}

// Version is one version of a CRD as a Go package has it.
type Version = gotypes.Version

// Loss is something that a CRD says and its Go types do not.
type Loss = gotypes.Loss

// Normalized returns the schemas that the types of each version are made of: the rules of the object's name are rules of CEL there.
func (d *Definition) Normalized() []*apiextensionsv1.JSONSchemaProps {
	all, _ := normalize.Schemas(d.CRD, d.Place)
	for _, s := range all {
		if name, ok := s.Properties["metadata"].Properties["name"]; ok {
			s.XValidations = append(s.XValidations, normalize.NameRules(&name)...)
		}
	}
	return all
}

// MaxFile is the size of the largest file that is read, in bytes.
const MaxFile = document.MaxFile

// Read returns the CRDs of a file's documents, YAML or JSON. Documents of other kinds are noted and skipped. All that
// is wrong with the file is in one error. Declared are the names that the Go package of a group's version has already, and that
// no type gets; nil is none.
func Read(name string, content []byte, declared func(group, version string) []string) ([]*Definition, error) {
	docs, err := document.Split(name, content)
	if err != nil {
		return nil, err
	}
	var all []*Definition
	var problems []error
	var others []string
	taken := map[string]gotypes.Names{} // of the Go packages, by group and version
	seen := map[string]string{}
	for _, doc := range docs {
		if !doc.IsCRD() {
			others = append(others, doc.String())
			continue
		}
		read, err := doc.Definition()
		if err == nil {
			err = gotypes.CheckNames(read.CRD)
		}
		if err == nil && seen[read.CRD.Name] != "" {
			err = fmt.Errorf("%s has this CustomResourceDefinition too; remove one of them", seen[read.CRD.Name])
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: CustomResourceDefinition %s: %w", doc.Place(), doc.Name(), err))
			continue
		}
		d := &Definition{Definition: read}
		seen[d.CRD.Name] = doc.Place()
		all = append(all, d)
		for _, v := range d.CRD.Spec.Versions {
			pkg := d.Group + "/" + v.Name
			if taken[pkg] == nil {
				taken[pkg] = gotypes.Names{}
			}
			taken[pkg].Reserve(d.Kind)
			if declared != nil {
				for _, name := range declared(d.Group, v.Name) {
					taken[pkg][name] = true
				}
			}
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		found := ""
		if len(others) > 0 {
			found = ", but " + document.Few(others)
		}
		return nil, fmt.Errorf("%s: no CustomResourceDefinition found%s; name a file that has one", name, found)
	}
	for _, other := range others {
		all[0].Notes = append(all[0].Notes, other+" is not a CustomResourceDefinition and was skipped")
	}
	for _, d := range all {
		schemas, notes := normalize.Schemas(d.CRD, d.Place)
		d.Notes = append(d.Notes, notes...)
		d.Versions, err = gotypes.Make(d.Definition, schemas, func(version string) gotypes.Names { return taken[d.Group+"/"+version] })
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: CustomResourceDefinition %s: %w", seen[d.CRD.Name], d.CRD.Name, err))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}
