// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"path"

	"github.com/crdctl/crdctl/internal/crdimport"
)

// AddCRD adds the kind of a CRD in all its versions, or in the one that the options name. The types are those of the CRD: files
// has them, by their paths in the project.
func (p *Project) AddCRD(d *crdimport.Definition, o APIOptions) (added []*API, files map[string][]byte, err error) {
	files = map[string][]byte{}
	storage := -1
	for i, v := range d.Versions {
		if v.Storage {
			storage = i
		}
	}
	known := len(p.Kinds(d.Group, d.Kind)) > 0
	var problems []error
	for i, v := range d.Versions {
		if o.Version != "" && o.Version != v.Name {
			continue
		}
		a, err := p.Add(APIOptions{
			Group: d.Group, Version: v.Name, Kind: d.Kind, Plural: d.Plural, Singular: d.Singular, ShortNames: d.ShortNames, Categories: d.Categories,
			Scope: map[bool]string{true: "Namespaced", false: "Cluster"}[d.Namespaced], Owns: o.Owns, NoController: o.NoController,
			NoStatus: true, // what the status holds is the CRD's affair; the controller that is scaffolded leaves it alone
			Storage:  i == storage && len(d.Versions) > 1, Imported: true,
		})
		if err != nil {
			problems = append(problems, err)
			continue
		}
		added = append(added, a)
		types := v.Types
		if known && len(d.Versions) == 1 { // the version that is stored is another one, as with create api without --storage
			types = bytes.Replace(types, []byte("// +kubebuilder:storageversion\n"), nil, 1)
		}
		files[path.Join(p.VersionOf(a).Dir, a.TypesFile+".go")] = types
		sample, valid := d.Sample(v.Name, a.SampleName())
		if !valid {
			sample = append([]byte("# Made from the fields that the schema requires. Complete it: the schema does not accept it yet.\n"), sample...)
		}
		files[path.Join("config/samples", a.Sample+".yaml")] = sample
	}
	if len(added) == 0 && len(problems) == 0 {
		problems = append(problems, fmt.Errorf("the CRD %s.%s has no version %s", d.Plural, d.Group, o.Version))
	}
	return added, files, errors.Join(problems...)
}
