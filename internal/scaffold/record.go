package scaffold

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/scaffold/fields"
	"github.com/crdctl/crdctl/templates"
)

// Record is what crdctl.yaml keeps of a project, so that it can be rendered again.
func (p *Project) Record() *config.Scaffold {
	s := &config.Scaffold{Templates: templates.Revision, Without: p.Without}
	for _, a := range p.APIs {
		s.APIs = append(s.APIs, a.record())
	}
	return s
}

func (a *API) record() config.ScaffoldedAPI {
	r := config.ScaffoldedAPI{
		Group: a.Group, Version: a.Version, Kind: a.Kind, Plural: a.Plural, Singular: a.Singular, ShortNames: a.ShortNames, Categories: a.Categories,
		Scope: a.Scope(), NoStatus: !a.Status, Fields: a.options.Fields, Owns: a.options.Owns, Imported: a.Imported,
		Storage: a.Storage, Conversion: a.Conversion, Controller: a.Controller, Folder: a.Folder,
	}
	if a.TypesFile != defaultTypesFile {
		r.TypesFile = a.TypesFile
	}
	if a.SampleFile != a.Singular {
		r.Sample = a.SampleFile
	}
	return r
}

// FromRecord is the project that a record tells of. Settings are those that the record is in; module is the path of the
// module, and folder that of the project in it: they can be others than when the record was written.
func FromRecord(settings *config.Project, module, folder string) (*Project, error) {
	s := settings.Scaffold
	if s == nil {
		return nil, errors.New("crdctl.yaml has no section scaffold, so it is not known what the project was made from; \"crdctl init\" makes projects that have one")
	}
	p := &Project{Module: module, Folder: folder, Main: cmp.Or(settings.Controller.Package, "."), ClientDir: "pkg/client", Without: s.Without}
	if len(settings.Clients) > 0 {
		p.ClientDir = settings.Clients[0].Dir
	}
	var problems []error
	for i, r := range s.APIs {
		// What was recorded when the language had more rules is read, and recorded again, as markers.
		recorded := slices.Clone(r.Fields)
		for i := range recorded {
			recorded[i] = fields.Translate(recorded[i])
		}
		a, err := NewAPI(APIOptions{
			Group: r.Group, Version: r.Version, Kind: r.Kind, Plural: r.Plural, Singular: r.Singular, Scope: r.Scope,
			ShortNames: r.ShortNames, Categories: r.Categories, Fields: recorded, Owns: r.Owns, NoStatus: r.NoStatus,
		})
		if err != nil {
			problems = append(problems, fmt.Errorf("crdctl.yaml: scaffold.apis[%d]: %w", i, err))
			continue
		}
		a.Imported, a.Storage, a.Conversion, a.Controller, a.Folder = r.Imported, r.Storage, r.Conversion, r.Controller, r.Folder
		a.TypesFile, a.SampleFile = cmp.Or(r.TypesFile, defaultTypesFile), cmp.Or(r.Sample, r.Singular)
		p.APIs = append(p.APIs, a)
	}
	return p, errors.Join(problems...)
}
