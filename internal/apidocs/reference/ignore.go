// SPDX-License-Identifier: Apache-2.0

package reference

import (
	"fmt"
	"path"
	"strings"

	"github.com/crdctl/crdctl/internal/check/project"
)

// ignores are patterns of what is left out: [[GROUP/]VERSION/]KIND for kinds, with :PATH for fields, in which a star stands for any text but
// a slash. PATH is a dotted path as project.Dotted writes it, without the marks of lists and maps.
type ignores struct {
	patterns []pattern
}

type pattern struct {
	text         string
	kind, field  string
	parts        int // of kind
	used         bool
	hasFieldPart bool
}

func newIgnores(patterns []string) (*ignores, error) {
	i := &ignores{}
	for _, text := range patterns {
		p := pattern{text: text}
		p.kind, p.field, p.hasFieldPart = strings.Cut(text, ":")
		p.parts = 1 + strings.Count(p.kind, "/")
		_, kindErr := path.Match(p.kind, "")
		if _, err := path.Match(p.field, ""); err != nil || kindErr != nil || p.kind == "" || p.parts > 3 || p.hasFieldPart && p.field == "" {
			return nil, fmt.Errorf("docs.ignore: %q is not a pattern; write [[GROUP/]VERSION/]KIND, or that and :PATH, for example v1alpha1/* or CronTab:spec.internal*", text)
		}
		i.patterns = append(i.patterns, p)
	}
	return i, nil
}

// kind reports whether a version of a kind is left out.
func (i *ignores) kind(group, version, kind string) bool {
	return i.match(group, version, kind, "", false)
}

// field reports whether a field is.
func (i *ignores) field(v *Version, path []string) bool {
	dotted := strings.NewReplacer(project.Items, "", project.Values, "").Replace(project.Dotted(path))
	return i.match(v.Kind.Group, v.Name, v.Kind.Name, dotted, true)
}

func (i *ignores) match(group, version, kind, field string, ofField bool) (ignored bool) {
	names := []string{group, version, kind}
	for n := range i.patterns {
		p := &i.patterns[n]
		if p.hasFieldPart != ofField {
			continue
		}
		of, _ := path.Match(p.kind, strings.Join(names[3-p.parts:], "/"))
		at, _ := path.Match(p.field, field)
		if of && at {
			p.used, ignored = true, true
		}
	}
	return ignored
}

// unused are notes about patterns that match nothing.
func (i *ignores) unused() (notes []string) {
	for _, p := range i.patterns {
		if !p.used {
			notes = append(notes, fmt.Sprintf("docs.ignore: %q matches no kind or field; remove it", p.text))
		}
	}
	return notes
}
