package detect

import (
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/detect/repo"
	"github.com/crdctl/crdctl/internal/safefs"
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
	for _, f := range d.Files {
		if !slices.Contains(gengoTools, f.Generator) || f.Generator == "openapi-gen" && !d.ours(f) {
			continue
		}
		h := normal(f.Header)
		count[h]++
		total++
		if first[h] == nil {
			first[h] = f
		}
	}
	if total == 0 {
		d.headerOfScripts()
		return
	}
	file, matched := d.bestHeader(count)
	majority := ""
	for h, n := range count {
		if n > count[majority] || n == count[majority] && h < majority {
			majority = h
		}
	}
	f := first[majority]
	switch {
	case majority == "" && (file == "" || matched < count[""]):
		matched = count[""] // no header, and the default is none
	case file == "":
		d.unread(f.Path, 1, "no file here has the header that %d of %d generated files bear; put it into hack/boilerplate.go.txt and write boilerplate: hack/boilerplate.go.txt", count[majority], total)
		return
	default:
		d.found.raw.Boilerplate = file
		d.set("boilerplate", file, f.Path)
		if named := d.namedHeaders(); len(named) > 0 && !slices.Contains(named, file) {
			d.note(named[0], 0, "a script names this header, but generated files bear that of %s (%s), which counts", file, f.Path)
		}
	}
	if matched < total {
		for _, h := range slices.Sorted(maps.Keys(first)) {
			if d.headerFits(file, h) {
				continue
			}
			d.unread(first[h].Path, 1, "%d of %d generated files bear another header than %s; crdctl gives them that one", total-matched, total, orNone(file))
			return
		}
	}
}

// ours tells whether crdctl makes a file of openapi-gen.
func (d *discovery) ours(f *repo.GoFile) bool {
	o := d.found.raw.OpenAPI
	return o.Dir != "" && (f.Path == path.Join(o.Dir, openAPIFile) || path.Base(f.Path) == o.ModelNameFile)
}

func orNone(file string) string {
	if file == "" {
		return "none"
	}
	return file
}

// normal is a header without what formatting changes.
func normal(header string) string {
	lines := strings.Split(strings.ReplaceAll(header, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// bestHeader is the file with the header of the most generated files. Among files that are alike, the one that a
// script names comes first.
func (d *discovery) bestHeader(count map[string]int) (file string, matched int) {
	named := d.namedHeaders()
	candidates := slices.Clone(named)
	for _, s := range d.Small {
		for h := range count {
			// A year is as long as the word YEAR.
			if diff := s.Size - int64(len(h)); diff >= -8 && diff <= 64 && !slices.Contains(candidates, s.Path) && h != "" {
				candidates = append(candidates, s.Path)
			}
		}
	}
	slices.SortStableFunc(candidates[len(named):], func(a, b string) int {
		if n := strings.Count(a, "/") - strings.Count(b, "/"); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	for _, c := range candidates {
		n := 0
		for h, files := range count {
			if d.headerFits(c, h) {
				n += files
			}
		}
		if n > matched {
			file, matched = c, n
		}
	}
	return file, matched
}

// headerFits tells whether a generated file's header was made from a header file.
func (d *discovery) headerFits(file, header string) bool {
	data := ""
	if file != "" {
		content, err := safefs.ReadFile(filepath.Join(d.Root, filepath.FromSlash(file)), safefs.MaxFile)
		if err != nil || len(content) > repo.HeaderSize {
			return false
		}
		data = normal(string(content))
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(data), "YEAR", `\d{4}`)
	re, err := regexp.Compile(`\A` + pattern + `\z`)
	return err == nil && re.MatchString(header)
}

// namedHeaders are the header files that scripts name.
func (d *discovery) namedHeaders() []string {
	var all []string
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

// headerOfScripts takes the word of a script where nothing was generated yet.
func (d *discovery) headerOfScripts() {
	if named := d.namedHeaders(); len(named) > 0 {
		d.found.raw.Boilerplate = named[0]
		d.set("boilerplate", named[0], "the first header that a script names")
		return
	}
	for _, usual := range []string{"hack/boilerplate.go.txt", "hack/boilerplate/boilerplate.go.txt"} {
		if d.Exists(usual) {
			d.found.raw.Boilerplate = usual
			d.set("boilerplate", usual, "its usual name")
			return
		}
	}
}
