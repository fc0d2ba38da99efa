// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/detect/scriptline"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// readHeader finds the file that most generated files have their header from. A header file may say YEAR where the
// generated file has one.
func (d *discovery) readHeader() {
	count := map[string]int{}
	first := map[string]*repo.GoFile{}
	total := 0
	var counted []*repo.GoFile
	for _, f := range d.Files {
		apart := !slices.ContainsFunc(helpers, func(h helper) bool { return h.tool == f.Generator })
		if !slices.Contains(repo.GengoTools, f.Generator) || apart && !d.ours(f) || d.Listed(f.Path) {
			continue
		}
		h := repo.NormalHeader(f.Header)
		count[h]++
		total++
		counted = append(counted, f)
		first[h] = cmp.Or(first[h], f)
	}
	if total == 0 {
		d.headerOfScripts()
		return
	}
	if d.twoHeaders() {
		return
	}
	headers := slices.Sorted(maps.Keys(count))
	majority := slices.MaxFunc(headers, func(a, b string) int { return count[a] - count[b] })
	file, matched := d.bestHeader(count, first[majority])
	switch f := first[majority]; {
	case majority == "" && (file == "" || matched < count[""]):
		file = "" // no header, and the default is none
	case file == "":
		// The generators add one line break: without a blank line below it, the text ended without one.
		d.Settings.BoilerplateText = strings.TrimSuffix(strings.TrimLeft(f.Header, " \n"), "\n")
		if files := sameButYear(count, majority); files > count[majority] { // each keeps its year
			d.Settings.BoilerplateText = aYear.ReplaceAllString(d.Settings.BoilerplateText, "YEAR")
			count[majority] = files
		}
		d.Set("boilerplateText", f.Path)
		d.Note(repo.At(f.Path, 1), "the header of %d of %d generated files is in no other file; boilerplateText has it", count[majority], total)
		return
	default:
		d.Settings.Boilerplate = file
		d.Set("boilerplate", f.Path)
		if named := d.namedHeaders(); len(named) > 0 && !slices.Contains(named, file) {
			d.Note(named[0], "a script names this header, but generated files have that of %s (%s), which is used", file, f.Path)
		}
	}
	fits := d.headerFits(file)
	counted = d.readOtherHeaders(counted, fits)
	by := scriptline.GivesHeaders.Find(d.Texts)
	if len(by) == 0 {
		counted = d.leaveHeaded(counted, fits, file)
	}
	total, matched = len(counted), 0
	clear(count)
	for _, f := range counted {
		h := repo.NormalHeader(f.Header)
		if count[h]++; fits(h) {
			matched++
		}
	}
	headers = slices.Sorted(maps.Keys(count))
	i := slices.IndexFunc(headers, func(h string) bool { return !fits(h) })
	if i < 0 || matched == total {
		return
	}
	if len(by) > 0 {
		for _, f := range counted {
			if !fits(repo.NormalHeader(f.Header)) {
				d.PostProcess(by.Near(f.Path).On(f.Path))
			}
		}
	} else {
		d.Ask(repo.At(first[headers[i]].Path, 1), "%d of %d generated files have another header than %s, which crdctl writes", total-matched, total, cmp.Or(file, "none"))
	}
}

// aYear is the year of a header.
var aYear = lazyregexp.New(`\b(?:19|20)\d\d\b`)

// sameButYear is how many files have a header, or one that differs from it in nothing but the year. A header of several years keeps them.
func sameButYear(count map[string]int, header string) (files int) {
	if len(aYear.FindAllString(header, 2)) != 1 {
		return 0
	}
	for h, n := range count {
		if aYear.ReplaceAllString(h, "YEAR") == aYear.ReplaceAllString(header, "YEAR") {
			files += n
		}
	}
	return files
}

// twoHeaders reports whether what is generated next to the types has one header, and all else another, as two calls of kube_codegen.sh
// give them. It sets both.
func (d *discovery) twoHeaders() bool {
	var next, other []*repo.GoFile
	for _, f := range d.Files {
		switch {
		case slices.ContainsFunc(helpers, func(h helper) bool { return h.tool == f.Generator }):
			next = append(next, f)
		case slices.Contains(repo.GengoTools, f.Generator) && d.ours(f):
			other = append(other, f)
		}
	}
	mine, ok := d.headerOf(next)
	theirs, same := d.headerOf(other)
	if !ok || !same || mine == "" || d.headerFits(theirs)(repo.NormalHeader(next[0].Header)) {
		return false
	}
	d.Settings.HelperBoilerplate, d.Settings.Boilerplate = mine, theirs
	d.Set("helperBoilerplate", next[0].Path)
	if theirs != "" {
		d.Set("boilerplate", other[0].Path)
	}
	return true
}

// headerOf is the file that some files have their header from, "" where they have none; ok is false if there is not one for all.
func (d *discovery) headerOf(files []*repo.GoFile) (file string, ok bool) {
	count := map[string]int{}
	for _, f := range files {
		count[repo.NormalHeader(f.Header)]++
	}
	file, matched := d.bestHeader(count, nil)
	return file, len(files) > 0 && (matched == len(files) || count[""] == len(files))
}

// ours reports whether crdctl makes a file that is not next to types: one of a client tree, or of openapi-gen.
func (d *discovery) ours(f *repo.GoFile) bool {
	if f.Generator != "openapi-gen" {
		return slices.ContainsFunc(d.Settings.Clients, func(c config.Client) bool { return text.Below(path.Clean(c.Dir), f.Path) })
	}
	return d.makesOpenAPI(f.Path)
}

// makesOpenAPI reports whether crdctl makes a file of openapi-gen.
func (d *discovery) makesOpenAPI(file string) bool {
	o := d.Settings.OpenAPI
	return o.Dir != "" && file == path.Join(o.Dir, config.OpenAPIFile) || path.Base(file) == o.ModelNameFile && d.namesModels(path.Dir(file)) ||
		slices.ContainsFunc(o.Calls, func(c config.OpenAPICall) bool { return file == path.Join(c.Dir, cmp.Or(c.File, config.OpenAPIFile)) })
}

// bestHeader is the file with the header of the most generated files. Among files that are alike, the one that a
// script names comes first, and one that none names must end as the header of a generated file does, if that is given.
func (d *discovery) bestHeader(count map[string]int, like *repo.GoFile) (file string, matched int) {
	var others []string
	for _, s := range d.Small {
		for h := range count {
			// A year is as long as the word YEAR.
			if diff := s.Size - int64(len(h)); diff >= -8 && diff <= 64 && h != "" && !slices.Contains(others, s.Path) && (like == nil || d.endsAs(s.Path, like)) {
				others = append(others, s.Path)
			}
		}
	}
	slices.SortFunc(others, func(a, b string) int {
		return cmp.Or(strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	for _, candidate := range append(d.namedHeaders(), others...) {
		n := 0
		fits := d.headerFits(candidate)
		for h, files := range count {
			if fits(h) {
				n += files
			}
		}
		if n > matched {
			file, matched = candidate, n
		}
	}
	return file, matched
}

// endsAs reports whether a header file ends as the header of a generated file: generators of Go code add one line break, so a blank line below the
// header is one of the file.
func (d *discovery) endsAs(file string, f *repo.GoFile) bool {
	data, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(file)), safefs.MaxFile)
	return err == nil && bytes.HasSuffix(data, []byte("\n")) == strings.HasSuffix(f.Header, "\n\n")
}

// headerFits returns a function that reports whether the header of a generated file was made from a header file, or from none.
func (d *discovery) headerFits(file string) func(header string) bool {
	above := d.AboveHeader(file)
	known := map[string]bool{} // hundreds of files have the same
	return func(header string) bool {
		fits, ok := known[header]
		if !ok {
			rest, found := above(header)
			fits = found && rest == ""
			known[header] = fits
		}
		return fits
	}
}

// namedHeaders are the header files that scripts name.
func (d *discovery) namedHeaders() (all []string) {
	for _, s := range d.scripts {
		for i := range s.calls {
			c := &s.calls[i]
			for _, flag := range []string{"--boilerplate", "--go-header-file"} {
				if file, ok := d.local(c, c.flag(flag)); ok && c.flag(flag) != "" && !slices.Contains(all, file) {
					all = append(all, file)
				}
			}
		}
	}
	return all
}

// headerOfScripts takes the header that a script names where nothing was generated yet.
func (d *discovery) headerOfScripts() {
	header, source := "", "its usual name"
	if named := d.namedHeaders(); len(named) > 0 {
		header, source = named[0], "the first header that a script names"
	} else if usual := []string{"hack/boilerplate.go.txt", "hack/boilerplate/boilerplate.go.txt"}; d.Exists(usual[0]) {
		header = usual[0]
	} else if d.Exists(usual[1]) {
		header = usual[1]
	}
	d.guessed["boilerplate"] = source == "its usual name"
	if header != "" {
		d.Settings.Boilerplate = header
		d.Set("boilerplate", source)
	}
}
