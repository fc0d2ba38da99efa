// SPDX-License-Identifier: Apache-2.0

package render

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/crdctl/crdctl/internal/safefs"
)

// Set is a directory of templates that parsed. It renders one request at a time.
type Set struct {
	root      *template.Template
	children  []string // names of files, in order
	status    string   // name of a file, or empty
	customize string
	reads     bool // .children
	limit     int  // bytes of one rendering, all files together
	left      int  // of limit
}

// Customize is the file that asks for related objects, or "".
func (s *Set) Customize() string { return s.customize }

// ReadsChildren reports whether a rendering may depend on the children that exist, so that they must be kept whole.
func (s *Set) ReadsChildren() bool { return s.reads }

// Wanted reports whether a file of that name in the directory of templates is one.
func Wanted(name string) bool {
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".tmpl":
		return !strings.HasPrefix(name, ".")
	case ".tpl":
		return strings.HasPrefix(name, "_")
	}
	return false
}

// role is what a file is for: its name without the endings of templates.
func role(name string) string {
	for {
		switch ext := filepath.Ext(name); ext {
		case ".yaml", ".yml", ".tmpl":
			name = strings.TrimSuffix(name, ext)
		default:
			return name
		}
	}
}

// Read reads the templates of a directory: their text, by the names of the files.
func Read(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("templates: %w; name a directory of templates with --template (loop.template)", err)
	}
	files := map[string]string{}
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if info, err := os.Stat(file); !Wanted(e.Name()) || err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := safefs.ReadFile(file, safefs.MaxFile)
		if err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
		files[e.Name()] = string(text)
	}
	return files, nil
}

// Parse parses templates that were read.
func Parse(files map[string]string) (*Set, error) {
	s := &Set{}
	s.root = template.New("").Option("missingkey=zero").Funcs(functions()).Funcs(template.FuncMap{"include": s.include})
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if _, err := s.root.New(name).Parse(files[name]); err != nil {
			return nil, fmt.Errorf("%w; fix the template", inTemplate(err))
		}
		if err := s.add(name); err != nil {
			return nil, err
		}
	}
	if len(s.children) == 0 && s.status == "" {
		return nil, errors.New("no templates found; write files *.yaml that render children")
	}
	rendered := slices.Clone(s.children)
	if s.status != "" {
		rendered = append(rendered, s.status)
	}
	s.reads = reads(s.root, rendered, "children")
	for _, t := range s.root.Templates() {
		if t.Tree != nil {
			refuseAbsent(t.Root)
		}
	}
	return s, nil
}

func (s *Set) add(name string) error {
	twice := func(other string) error {
		return fmt.Errorf("%s and %s render the same; remove one", other, name)
	}
	switch {
	case strings.HasPrefix(name, "_"):
	case role(name) == "status":
		if s.status != "" {
			return twice(s.status)
		}
		s.status = name
	case role(name) == "customize":
		if s.customize != "" {
			return twice(s.customize)
		}
		s.customize = name
	default:
		s.children = append(s.children, name)
	}
	return nil
}

// ours is the function that refuseAbsent put in: an error should name what a person wrote.
var ours = regexp.MustCompile(`executing "[^"]*" at <_.*>: error calling _[a-z]+: `)

// inTemplate is an error of text/template in the words of this house: it begins with the place.
func inTemplate(err error) error {
	text, ok := strings.CutPrefix(err.Error(), "template: ")
	if !ok {
		return err
	}
	text = ours.ReplaceAllString(text, "")
	if strings.Contains(text, "nil pointer evaluating") {
		text += "; the part before the last dot is absent: use with or dig"
	}
	return &templateError{text: text, err: err}
}

type templateError struct {
	text string
	err  error
}

func (e *templateError) Error() string { return e.text }
func (e *templateError) Unwrap() error { return e.err }
