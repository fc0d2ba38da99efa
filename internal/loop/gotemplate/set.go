package gotemplate

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"text/template"
)

// set is a folder of templates that parsed.
type set struct {
	children  []string // names of files, in order
	status    string   // name of a file, or empty
	customize string
	reads     bool      // .children
	renderers sync.Pool // of *renderer: each has functions of its own, and can be used by one rendering at a time
}

// Wanted tells whether a file of that name in the folder of templates is one.
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

// Check tells what is wrong with the templates of a folder as Open does, and which of the files asks for related objects, if any.
func Check(dir string) (customizes string, err error) {
	s, err := load(dir)
	if err != nil {
		return "", err
	}
	return s.customize, nil
}

// load reads and parses the templates of a folder.
func load(dir string) (*set, error) {
	entries, err := os.ReadDir(dir) // in the order of their names
	if err != nil {
		return nil, fmt.Errorf("templates: %w; name a folder of templates with --template (loop.template)", err)
	}
	root := template.New("").Option("missingkey=zero").Funcs(functions()).Funcs(new(renderer).functions())
	s := &set{}
	for _, e := range entries {
		name := e.Name()
		if info, err := os.Stat(filepath.Join(dir, name)); !Wanted(name) || err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
		if _, err := root.New(name).Parse(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w; mend the template", dir, inTemplate(err))
		}
		if err := s.add(name); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	if len(s.children) == 0 && s.status == "" {
		return nil, fmt.Errorf("%s has no templates; write files *.yaml, each of which gives children", dir)
	}
	files := append([]string{}, s.children...)
	if s.status != "" {
		files = append(files, s.status)
	}
	s.reads = reads(root, files, "children")
	for _, t := range root.Templates() {
		if t.Tree != nil && t.Root != nil {
			guard(t.Tree)
		}
	}
	s.renderers.New = func() any { return newRenderer(root) }
	return s, nil
}

func (s *set) add(name string) error {
	twice := func(other string) error {
		return fmt.Errorf("%s and %s are for the same; remove one", other, name)
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

// ours are the functions that guard put in: an error should name what a person wrote.
var ours = regexp.MustCompile(`executing "[^"]*" at <_.*>: error calling _[a-z]+: `)

// inTemplate is an error of text/template in the words of this house: it begins with the place.
func inTemplate(err error) error {
	text, ok := strings.CutPrefix(err.Error(), "template: ")
	if !ok {
		return err
	}
	text = ours.ReplaceAllString(text, "")
	if strings.Contains(text, "nil pointer evaluating") {
		text += "; what is before the last dot is absent: ask for it with with, or use dig"
	}
	return &templateError{text: text, err: err}
}

type templateError struct {
	text string
	err  error
}

func (e *templateError) Error() string { return e.text }
func (e *templateError) Unwrap() error { return e.err }
