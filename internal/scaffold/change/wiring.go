// SPDX-License-Identifier: Apache-2.0

package change

import (
	"path"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/scaffold"
	"github.com/crdctl/crdctl/internal/tree"
	"github.com/crdctl/crdctl/templates"
)

// AddWiring adds the files that know all kinds of a project to those that are generated. A project that was not scaffolded
// has none.
func AddWiring(root string, settings *config.Project, to *tree.Tree) error {
	if settings.Scaffold == nil {
		return nil
	}
	location, err := FindLocation(root, false)
	if err != nil {
		return err
	}
	p, err := scaffold.FromRecord(settings, location.Path, location.Dir)
	if err != nil {
		return err
	}
	// As long as the scaffold is of older templates, so is what belongs to it.
	files, err := templates.At(settings.Scaffold.Templates)
	if err != nil {
		return err
	}
	wiring, err := p.Wiring(files)
	if err != nil {
		return err
	}
	for _, name := range wiring.Paths() {
		to.Own(tree.Area{
			Dir: path.Dir(name), Tool: "crdctl", Match: func(p string) bool { return p == name },
			Owns: func(_ string, data []byte) bool { return scaffold.Owns(data) },
		})
	}
	return to.AddAll(wiring)
}
