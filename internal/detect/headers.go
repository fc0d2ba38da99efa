// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"path"
	"slices"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/text"
)

// readOtherHeaders finds the directories whose generated files have a header of their own, which a call of a generator names. It returns the
// other files. fits reports whether a header is that of all.
func (d *discovery) readOtherHeaders(files []*repo.GoFile, fits func(header string) bool) (others []*repo.GoFile) {
	from := map[*repo.GoFile]string{}
	named := d.namedHeaders()
	for _, file := range named {
		made := d.headerFits(file)
		for _, f := range files {
			h := repo.NormalHeader(f.Header)
			if from[f] != "" || h == "" || !made(h) {
				continue
			}
			main := d.Settings.Boilerplate // which may be the same text with another end
			if !fits(h) || len(named) > 1 && main != "" && main != file && !d.endsAs(main, f) && d.endsAs(file, f) {
				from[f] = file
			}
		}
	}
	for _, f := range files {
		file := from[f]
		if file == "" {
			others = append(others, f)
			continue
		}
		dir := f.Dir
		alone := func(dir string) bool {
			return dir != "." && !slices.ContainsFunc(files, func(f *repo.GoFile) bool { return text.Below(dir, f.Path) && from[f] != file })
		}
		for alone(path.Dir(dir)) {
			dir = path.Dir(dir)
		}
		if !alone(dir) {
			others = append(others, f) // files of two headers side by side
			continue
		}
		if d.Settings.Boilerplates == nil {
			d.Settings.Boilerplates = map[string]string{}
		}
		if d.Settings.Boilerplates[dir] == "" {
			d.Settings.Boilerplates[dir] = file
			d.Set("boilerplates."+dir, f.Path)
		}
	}
	return others
}
