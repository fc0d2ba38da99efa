// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/crdctl/crdctl/internal/crdimport"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// AddCRD adds the kind of a CRD in all its versions, or in the one that the options name. The types are those of the CRD: files
// has them, by their paths in the project.
func (p *Project) AddCRD(d *crdimport.Definition, o APIOptions) (added []*API, files map[string][]byte, err error) {
	files = map[string][]byte{}
	var problems []error
	for _, v := range d.Versions {
		if o.Version != "" && o.Version != v.Name {
			continue
		}
		a, err := p.Add(APIOptions{
			Group: d.Group, Version: v.Name, Kind: d.Kind, Plural: d.Plural, Singular: d.Singular, ShortNames: d.ShortNames, Categories: d.Categories,
			Scope: map[bool]string{true: "Namespaced", false: "Cluster"}[d.Namespaced], Owns: o.Owns, NoController: o.NoController,
			NoStatus: true, // what the status holds is the CRD's affair; the controller that is scaffolded leaves it alone
			Storage:  v.Storage && len(d.Versions) > 1, Imported: true,
		})
		if err != nil {
			problems = append(problems, err)
			continue
		}
		added = append(added, a)
		files[p.typesOf(a)] = v.Types
		sample, valid := d.Sample(v.Name, a.SampleName())
		if !valid {
			sample = append([]byte("# Made from the fields that the schema requires. Complete it: the schema does not accept it yet.\n"), sample...)
		}
		files[path.Join("config/samples", a.Sample+".yaml")] = sample
	}
	if len(added) == 0 && len(problems) == 0 {
		problems = append(problems, fmt.Errorf("the CRD %s.%s has no version %s", d.Plural, d.Group, o.Version))
	}
	for _, a := range added {
		if len(p.Kinds(a.Group, a.Kind)) > 1 {
			files[p.typesOf(a)] = markStored(files[p.typesOf(a)], a.Kind, p.Stored(a))
		}
	}
	return added, files, errors.Join(problems...)
}

// typesOf is the file with the types of an API.
func (p *Project) typesOf(a *API) string { return path.Join(p.VersionOf(a).Dir, a.TypesFile+".go") }

// MarkStored is what becomes of files of a project with types that were made from CRDs where a kind gets a second version, or stores objects in
// another one: no template makes these files. Read reads one of them. The other files are left as they are, whatever they have.
func (p *Project) MarkStored(before *Project, read func(file string) ([]byte, error)) (was, is map[string][]byte) {
	was, is = map[string][]byte{}, map[string][]byte{}
	for _, a := range p.APIs {
		b := before.Find(a.Group, a.Version, a.Kind)
		if !a.Imported || b == nil || len(p.Kinds(a.Group, a.Kind)) < 2 || len(before.Kinds(a.Group, a.Kind)) > 1 && before.Stored(b) == p.Stored(a) {
			continue
		}
		file := p.typesOf(a)
		if types, err := read(file); err == nil { // without it there is nothing to change
			was[file], is[file] = types, markStored(types, a.Kind, p.Stored(a))
		}
	}
	return was, is
}

// storageMarker is the line about the version of a kind in which objects are stored.
var storageMarker = lazyregexp.New(`(?m)^//\s*\+kubebuilder:storageversion[ \t]*\n`)

// markStored adds the marker to the type of a kind, or removes it.
func markStored(types []byte, kind string, stored bool) []byte {
	at := bytes.Index(types, []byte("\ntype "+kind+" struct")) + 1
	if at == 0 {
		return types
	}
	from := bytes.LastIndex(types[:at], []byte("\n}\n")) + 1 // another declaration's end
	above := types[from:at]
	marked := storageMarker.Match(above)
	switch {
	case marked && !stored:
		above = storageMarker.ReplaceAll(above, nil)
	case stored && !marked:
		above = append(slices.Clone(above), "// +kubebuilder:storageversion\n"...)
	}
	return slices.Concat(types[:from], above, types[at:])
}
