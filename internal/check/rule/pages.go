// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// A page is named FAMILY/ID.md. It has the title as its heading, a line "Severity: …" and, for compat, "Category: …", the paragraphs
// "Why: …", "Fix: …" and perhaps "In a manifest: …", more text where that helps, and the sections "Flagged" and "Not flagged" with fenced blocks. The tests of
// the families run the blocks: README.md next to the pages says how.
//
//go:embed pages
var pages embed.FS

var all = sync.OnceValues(func() ([]*Rule, error) {
	var rules []*Rule
	err := fs.WalkDir(pages, "pages", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Dir(p) == "pages" {
			return err
		}
		data, err := pages.ReadFile(p)
		if err != nil {
			return err
		}
		r, err := parse(Family(path.Base(path.Dir(p))), strings.TrimSuffix(path.Base(p), ".md"), string(data))
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		rules = append(rules, r)
		return nil
	})
	slices.SortFunc(rules, func(a, b *Rule) int {
		return cmp.Or(cmp.Compare(slices.Index(every, a.Family), slices.Index(every, b.Family)), cmp.Compare(a.ID, b.ID))
	})
	return rules, err
})

// All returns all rules, by family and ID; those of the family Doctor are the last.
func All() []*Rule {
	rules, err := all()
	if err != nil {
		panic(err) // the pages are linked in, and a test reads them
	}
	return rules
}

// Find returns the rule with an ID, or nil.
func Find(id string) *Rule {
	i := slices.IndexFunc(All(), func(r *Rule) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	return All()[i]
}

// MustFind is Find for an ID that the program itself names.
func MustFind(id string) *Rule {
	r := Find(id)
	if r == nil {
		panic("no page for the rule " + id)
	}
	return r
}

func parse(family Family, id, page string) (*Rule, error) {
	r := &Rule{ID: id, Family: family, Page: page}
	severity := ""
	fields := map[string]*string{"Severity": &severity, "Category": (*string)(&r.Category), "Why": &r.Why, "Fix": &r.Fix, "In a manifest": &r.Manifest}
	var blocks *[]Block
	for i, paragraph := range paragraphs(page) {
		name, value, _ := strings.Cut(paragraph, ": ")
		switch field := fields[name]; {
		case i == 0:
			r.Title = strings.TrimPrefix(paragraph, "# ")
		case paragraph == "## Flagged":
			blocks = &r.Flagged
		case paragraph == "## Not flagged":
			blocks = &r.Clean
		case strings.HasPrefix(paragraph, "```") && blocks != nil:
			first, rest, _ := strings.Cut(paragraph, "\n")
			*blocks = append(*blocks, Block{Info: strings.TrimPrefix(first, "```"), Text: strings.TrimSuffix(rest, "```")})
		case field != nil && blocks == nil:
			*field = strings.ReplaceAll(value, "\n", " ")
		}
	}
	var err error
	if r.Severity, err = ParseSeverity(severity); err != nil {
		return nil, fmt.Errorf("severity: %w", err)
	}
	for what, is := range map[string]bool{
		"title": r.Title != "", "Why": r.Why != "", "Fix": r.Fix != "", "Flagged": len(r.Flagged) > 0, "Not flagged": len(r.Clean) > 0,
		"Category": (r.Category != "") == (family == Compat), "a family that exists": slices.Contains(every, family),
	} {
		if !is {
			return nil, fmt.Errorf("the page lacks %s", what)
		}
	}
	return r, nil
}

// paragraphs splits a page at blank lines outside of fences.
func paragraphs(page string) []string {
	var all []string
	var current strings.Builder
	flush := func() {
		if text := strings.TrimRight(current.String(), "\n"); text != "" {
			all = append(all, text)
		}
		current.Reset()
	}
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if strings.TrimSpace(line) == "" && !fenced {
			flush()
			continue
		}
		current.WriteString(line)
	}
	flush()
	return all
}
