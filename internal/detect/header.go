// SPDX-License-Identifier: Apache-2.0

package detect

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/config"
	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
	"github.com/crdctl/crdctl/internal/text"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// gengoTools are the generators whose header the setting boilerplate is.
var gengoTools = []string{"client-gen", "lister-gen", "informer-gen", "applyconfiguration-gen", "deepcopy-gen", "defaulter-gen", "conversion-gen",
	"validation-gen", "register-gen", "prerelease-lifecycle-gen", "openapi-gen"}

// readHeader finds the file that most generated files have their header from. A header file may say YEAR where the
// generated file has one.
func (d *discovery) readHeader() {
	count := map[string]int{}
	first := map[string]*repo.GoFile{}
	total := 0
	var counted []*repo.GoFile
	for _, f := range d.Files {
		apart := !slices.ContainsFunc(helpers, func(h helper) bool { return h.tool == f.Generator })
		if !slices.Contains(gengoTools, f.Generator) || apart && !d.ours(f) || d.listed(f.Path) {
			continue
		}
		h := normal(f.Header)
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
	file, matched := d.bestHeader(count)
	majority := slices.MaxFunc(headers, func(a, b string) int { return count[a] - count[b] })
	switch f := first[majority]; {
	case majority == "" && (file == "" || matched < count[""]):
		file = "" // no header, and the default is none
	case file == "":
		d.found.raw.HeaderText = strings.TrimSpace(f.Header) + "\n"
		d.unread(repo.At(f.Path, 1), "the header of %d of %d generated files is in no other file, and is used as it is; to write it down, save it as hack/boilerplate.go.txt and set boilerplate: hack/boilerplate.go.txt", count[majority], total)
		return
	default:
		d.found.raw.Boilerplate = file
		d.set("boilerplate", f.Path)
		if named := d.namedHeaders(); len(named) > 0 && !slices.Contains(named, file) {
			d.note(named[0], "a script names this header, but generated files have that of %s (%s), which is used", file, f.Path)
		}
	}
	fits := d.headerFits(file)
	counted = d.readOtherHeaders(counted, fits)
	total, matched = len(counted), 0
	clear(count)
	for _, f := range counted {
		h := normal(f.Header)
		if count[h]++; fits(h) {
			matched++
		}
	}
	headers = slices.Sorted(maps.Keys(count))
	i := slices.IndexFunc(headers, func(h string) bool { return !fits(h) })
	if i < 0 || matched == total {
		return
	}
	if by := d.commandsWith(givesHeaders); len(by) > 0 {
		for _, f := range counted {
			if !fits(normal(f.Header)) {
				d.postProcessed(by.near(f.Path).on(f.Path))
			}
		}
	} else {
		d.unread(repo.At(first[headers[i]].Path, 1), "%d of %d generated files have another header than %s; crdctl changes them to it", total-matched, total, cmp.Or(file, "none"))
	}
}

// changesHeaders is in a command that changes the headers of Go files after they were generated.
var changesHeaders = lazyregexp.New(`(?i)^[^#\n]*(\baddlicense\b\)?\s+-|\blicense-eye\b[^\n]*\bfix\b|\bcopywrite\b[^\n]*\bheaders\b|/[\w-]*(header|license)s?\.(sh|py)\b)`)

// givesHeaders reports whether a command changes headers. What only checks them has such a name, too.
func givesHeaders(line []byte) bool {
	return changesHeaders.Match(line) && !checks.MatchString(path.Base(headerScript.FindString(string(line))))
}

// readHeaders finds the deep copies of controller-gen that have a header though their call gives them none, where a command adds headers. A
// header that differs from the one of the call may as well be an old one, which the next run changes: that is stale.
func (d *discovery) readHeaders(calls []*genCall, by commands) {
	if len(by) == 0 {
		return
	}
	for _, c := range calls {
		if c.Object == nil || c.Object.HeaderFile != "" {
			continue
		}
		for _, f := range d.Files {
			if f.Generator == controllerGen && path.Base(f.Path) == helpers[0].file && covers(c, d.Modules, f.Dir) && normal(f.Header) != "" {
				d.postProcessed(by.near(f.Path).on(f.Path))
			}
		}
	}
}

// twoHeaders reports whether what is generated next to the types has one header, and all else another, as two calls of kube_codegen.sh
// give them. It sets both.
func (d *discovery) twoHeaders() bool {
	var next, other []*repo.GoFile
	for _, f := range d.Files {
		switch {
		case slices.ContainsFunc(helpers, func(h helper) bool { return h.tool == f.Generator }):
			next = append(next, f)
		case slices.Contains(gengoTools, f.Generator) && d.ours(f):
			other = append(other, f)
		}
	}
	mine, ok := d.headerOf(next)
	theirs, same := d.headerOf(other)
	if !ok || !same || mine == "" || d.headerFits(theirs)(normal(next[0].Header)) {
		return false
	}
	d.found.raw.HelperBoilerplate, d.found.raw.Boilerplate = mine, theirs
	d.set("helperBoilerplate", next[0].Path)
	if theirs != "" {
		d.set("boilerplate", other[0].Path)
	}
	return true
}

// headerOf is the file that some files have their header from, "" where they have none; ok is false if there is not one for all.
func (d *discovery) headerOf(files []*repo.GoFile) (file string, ok bool) {
	count := map[string]int{}
	for _, f := range files {
		count[normal(f.Header)]++
	}
	file, matched := d.bestHeader(count)
	return file, len(files) > 0 && (matched == len(files) || count[""] == len(files))
}

// ours reports whether crdctl makes a file that is not next to types: one of a client tree, or of openapi-gen.
func (d *discovery) ours(f *repo.GoFile) bool {
	o := d.found.raw.OpenAPI
	if f.Generator != "openapi-gen" {
		return slices.ContainsFunc(d.found.raw.Clients, func(c config.Client) bool { return text.Below(path.Clean(c.Dir), f.Path) })
	}
	return o.Dir != "" && (f.Path == path.Join(o.Dir, openAPIFile) || path.Base(f.Path) == o.ModelNameFile)
}

// normal is a header without what formatting changes.
func normal(header string) string {
	var b strings.Builder
	for line := range strings.Lines(header) {
		if content, ok := strings.CutSuffix(line, "\n"); ok {
			line = strings.TrimRight(strings.TrimSuffix(content, "\r"), " \t") + "\n"
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String())
}

// bestHeader is the file with the header of the most generated files. Among files that are alike, the one that a
// script names comes first.
func (d *discovery) bestHeader(count map[string]int) (file string, matched int) {
	var others []string
	for _, s := range d.Small {
		for h := range count {
			// A year is as long as the word YEAR.
			if diff := s.Size - int64(len(h)); diff >= -8 && diff <= 64 && h != "" && !slices.Contains(others, s.Path) {
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

// headerFits returns a function that reports whether the header of a generated file was made from a header file, or from none.
func (d *discovery) headerFits(file string) func(header string) bool {
	data := ""
	if file != "" {
		content, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(file)), safefs.MaxFile)
		if err != nil || len(content) > repo.HeaderSize {
			return func(string) bool { return false }
		}
		data = normal(string(content))
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(data), "YEAR", `\d{4}`)
	re, err := regexp.Compile(`\A` + pattern + `\z`)
	return func(header string) bool { return err == nil && re.MatchString(header) }
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
		d.found.raw.Boilerplate = header
		d.set("boilerplate", source)
	}
}
