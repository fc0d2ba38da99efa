// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"slices"
	"strings"
)

// DocsFormats are the formats of the API reference.
var DocsFormats = []string{"markdown", "html"}

// docsSettings are those of the API reference: docs has a flag of each.
var docsSettings = []Setting{
	{Field: "docs.dir", Flag: "output-dir", Format: Path, text: local, needs: "a directory", Default: "docs/api", Value: func(p *Project) any { return &p.Docs.Dir },
		Usage: "directory of the API reference"},
	{Field: "docs.formats", Flag: "format", Commas: true, text: docsFormat, Default: DocsFormats, Value: func(p *Project) any { return &p.Docs.Formats },
		Usage: "formats of the API reference: markdown, html"},
	{Field: "docs.template", Flag: "template", Format: Path, text: local, needs: "a directory", Otherwise: "crdctl's own", Value: func(p *Project) any { return &p.Docs.Template },
		Usage: "directory of templates to use instead of crdctl's", More: "see [apidocs.md](apidocs.md#templates)"},
	{Field: "docs.against", Flag: "against", Otherwise: "none", Value: func(p *Project) any { return &p.Docs.Against },
		Usage: "git `revision`, directory or file to show the changes since", More: "see [apidocs.md](apidocs.md#what-changed)"},
	{Field: "docs.ignore", Flag: "ignore", Value: func(p *Project) any { return &p.Docs.Ignore },
		Usage: "kinds or fields to omit, as [[GROUP/]VERSION/]KIND[:PATH]", More: "`*` in it stands for any text without a slash"},
}

// DocsSettings are those of the API reference.
func DocsSettings() []Setting { return slices.Clone(docsSettings) }

// WithDefaults returns the settings with what they leave out.
func (d Docs) WithDefaults() Docs {
	p := &Project{Docs: d}
	for _, s := range docsSettings {
		s.fill(p)
	}
	return p.Docs
}

// Check holds the settings to their rules, as those of the file are.
func (d Docs) Check(report func(field, format string, args ...any)) {
	p := &Project{Docs: d}
	for _, s := range docsSettings {
		s.check(p, report)
	}
}

func docsFormat(name string) error {
	if !slices.Contains(DocsFormats, name) {
		return fmt.Errorf("%q is not a format of the API reference; use one of %s", name, strings.Join(DocsFormats, ", "))
	}
	return nil
}
