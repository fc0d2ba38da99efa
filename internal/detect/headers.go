// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"path"
	"slices"
	"strings"

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

// leaveHeaded lists the files next to types that have another header than most, and whose package no call gives to their generator: what made them
// was given that header, and is to do so again. Where there are no calls at all, nothing tells that, and a line of go:generate may give it any package. It
// returns the other files.
func (d *discovery) leaveHeaded(files []*repo.GoFile, fits func(header string) bool, usual string) (others []*repo.GoFile) {
	if !slices.ContainsFunc(d.scripts, func(s *script) bool { return len(s.calls) > 0 }) {
		return files
	}
	left := map[string][]*repo.GoFile{} // by generator
	for _, f := range files {
		i := slices.IndexFunc(helpers, func(h helper) bool { return h.tool == f.Generator })
		if i < 0 || fits(repo.NormalHeader(f.Header)) || d.isGiven(helpers[i], f.Dir) || d.directed(func(line string) bool { return strings.Contains(line, f.Generator) }) {
			others = append(others, f)
			continue
		}
		if inputs, _ := d.inputsOf(f.Generator); slices.Contains(inputs, f.Dir) {
			others = append(others, f)
			continue
		}
		left[f.Generator] = append(left[f.Generator], f)
	}
	for _, h := range helpers {
		if len(left[h.tool]) == 0 {
			continue
		}
		for _, f := range left[h.tool] {
			d.excludeFrom(h.name, f.Dir, f.Path)
		}
		d.List(h.name, h.tool, repo.Paths(left[h.tool]), "it has another header than "+cmp.Or(usual, "none")+", and no command that crdctl can read gives the package to "+h.tool+"; it stays unchanged")
	}
	return others
}
