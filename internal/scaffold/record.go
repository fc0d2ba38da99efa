// SPDX-License-Identifier: Apache-2.0

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
	r := a.APIOptions
	if r.TypesFile == defaultTypesFile {
		r.TypesFile = ""
	}
	if r.Sample == r.Singular {
		r.Sample = ""
	}
	return r
}

// FromRecord is the project that a record tells of. Settings are those that the record is in; module is the path of the
// module, and directory that of the project in it: they can be others than when the record was written.
func FromRecord(settings *config.Project, module, folder string) (*Project, error) {
	s := settings.Scaffold
	if s == nil {
		return nil, errors.New("crdctl.yaml has no section scaffold, which records how the project was made; only projects made by \"crdctl init\" have one")
	}
	p := &Project{Module: module, Folder: folder, Main: cmp.Or(settings.Controller.Package, "."), ClientDir: "pkg/client", Without: s.Without}
	if len(settings.Clients) > 0 {
		p.ClientDir = settings.Clients[0].Dir
	}
	var problems []error
	for i, r := range s.APIs {
		// What was recorded when the language had more rules is read, and recorded again, as markers.
		r.Fields = slices.Clone(r.Fields)
		for i := range r.Fields {
			r.Fields[i] = fields.Translate(r.Fields[i])
		}
		a, err := NewAPI(r)
		if err != nil {
			problems = append(problems, fmt.Errorf("crdctl.yaml: scaffold.apis[%d]: %w", i, err))
			continue
		}
		a.Controller = r.Controller // or none
		p.APIs = append(p.APIs, a)
	}
	return p, errors.Join(problems...)
}
