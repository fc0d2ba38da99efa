// SPDX-License-Identifier: Apache-2.0

// Package page writes a reference as Markdown and as one page of HTML, with templates that a project may replace.
//
// It decides on paths and links, and not on what is described.
package page

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/crdctl/crdctl/internal/apidocs/reference"
)

//go:embed templates
var builtin embed.FS

// The templates: that of the index, that of the page of a kind in a version, and that of the one page of HTML.
const (
	indexTemplate = "index.md.tmpl"
	kindTemplate  = "kind.md.tmpl"
	htmlTemplate  = "index.html.tmpl"
)

// Templates are the names of the templates.
func Templates() []string { return []string{indexTemplate, kindTemplate, htmlTemplate} }

// The formats.
const (
	Markdown = "markdown"
	HTML     = "html"
)

// Renderer has the templates of a project.
type Renderer struct {
	dir   fs.FS // nil for crdctl's own
	named string
}

// New returns a renderer with the templates of a directory, which is called by a name in errors, instead of crdctl's; nil if there is none. Those
// that it lacks are crdctl's; one whose name begins with an underscore is for the others to call.
func New(dir fs.FS, named string) (*Renderer, error) {
	r := &Renderer{dir, named}
	if dir == nil {
		return r, nil
	}
	files, err := fs.Glob(dir, "*")
	if err != nil {
		return nil, err
	}
	found := false
	for _, file := range files {
		known := slices.Contains(Templates(), file)
		found = found || known
		if strings.HasSuffix(file, ".tmpl") && !known && !strings.HasPrefix(file, "_") {
			return nil, fmt.Errorf("%s: not a template of the reference; the templates are %s, and those that these call begin with an underscore", path.Join(named, file), strings.Join(Templates(), ", "))
		}
	}
	if !found {
		return nil, fmt.Errorf("%s: has none of the templates %s; copy crdctl's with \"crdctl docs --print-template NAME\" and edit them", named, strings.Join(Templates(), ", "))
	}
	return r, nil
}

// Builtin is the text of a template of crdctl's.
func Builtin(name string) (string, error) {
	data, err := builtin.ReadFile("templates/" + name)
	if err != nil {
		return "", fmt.Errorf("%q is not a template; use one of %s", name, strings.Join(Templates(), ", "))
	}
	return string(data), nil
}

// Render returns the files of a format, by their paths from the directory of the pages.
func (r *Renderer) Render(ref *reference.Reference, format string) (map[string][]byte, error) {
	files := map[string][]byte{}
	var problems []error
	add := func(file, name string, data any) {
		text, err := r.execute(name, data)
		if err != nil && !slices.ContainsFunc(problems, func(p error) bool { return p.Error() == err.Error() }) { // all pages have the one template
			problems = append(problems, err)
		}
		if files[file] != nil {
			problems = append(problems, fmt.Errorf("%s: two kinds would have this page; leave out one with docs.ignore", file))
		}
		files[file] = text
	}
	if format == HTML {
		add("index.html", htmlTemplate, ref)
		return files, errors.Join(problems...)
	}
	add("README.md", indexTemplate, ref)
	for _, g := range ref.Groups {
		for _, k := range g.Kinds {
			for _, v := range k.Versions {
				add(pageOf(v), kindTemplate, v)
			}
		}
	}
	return files, errors.Join(problems...)
}

// execute runs a template.
func (r *Renderer) execute(name string, data any) ([]byte, error) {
	var t interface {
		Execute(io.Writer, any) error
	}
	err := error(nil)
	if strings.HasSuffix(name, ".html.tmpl") {
		t, err = r.html(name)
	} else {
		t, err = r.text(name)
	}
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, r.hint(err)
	}
	return append(bytes.TrimSpace(out.Bytes()), '\n'), nil
}

func (r *Renderer) text(name string) (*template.Template, error) {
	all := template.New("").Funcs(template.FuncMap(markdownFuncs)).Option("missingkey=error")
	err := r.parse(name, func(name, text string) error {
		_, err := all.New(name).Parse(text)
		return err
	})
	return all.Lookup(name), err
}

func (r *Renderer) html(name string) (*htmltemplate.Template, error) {
	all := htmltemplate.New("").Funcs(htmltemplate.FuncMap(htmlFuncs)).Option("missingkey=error")
	err := r.parse(name, func(name, text string) error {
		_, err := all.New(name).Parse(text)
		return err
	})
	return all.Lookup(name), err
}

// parse gives a template, and before it those that it may call, to one that parses them.
func (r *Renderer) parse(name string, parse func(name, text string) error) error {
	text, err := Builtin(name)
	if err != nil {
		return err
	}
	if r.dir == nil {
		return parse(name, text)
	}
	parts, err := fs.Glob(r.dir, "_*.tmpl")
	if err != nil {
		return err
	}
	for _, file := range parts {
		data, err := fs.ReadFile(r.dir, file)
		if err != nil {
			return err
		}
		if err := parse(file, string(data)); err != nil {
			return r.hint(err)
		}
	}
	switch data, err := fs.ReadFile(r.dir, name); {
	case err == nil:
		text = string(data)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return r.hint(parse(name, text))
}

// hint says where a template that fails is.
func (r *Renderer) hint(err error) error {
	if err == nil || r.dir == nil {
		return err
	}
	return fmt.Errorf("%s: %w; docs/apidocs.md lists the functions and fields that templates have", r.named, err)
}
