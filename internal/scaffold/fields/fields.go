// SPDX-License-Identifier: Apache-2.0

// Package fields is the language of --field: NAME:TYPE[:RULE…][:+MARKER…], of which it makes the Go fields of an API with their JSON
// tags, pointers and markers, the types that these need, a sample and the columns of kubectl's table.
//
// It follows the Kubernetes API conventions. It does not look at the disk, does not generate, and knows no templates. Markers are passed on
// as they are: controller-gen and the API server's validation of the CRD judge them.
// The language is described in docs/fields.md.
package fields

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// Options say what the fields are fields of.
type Options struct {
	// Kind is the kind in Go; the names of all types that are made begin with it.
	Kind string
	// Status reports whether there is a status to put fields into.
	Status bool
	// Taken are further names that the package of the kind has already.
	Taken []string
}

// Set is what all --field of a kind specify together.
type Set struct {
	Options
	spec, status object
	types        []*Field // that a type is made for, a struct or an enum, in the order in which they are written
	used         map[string]bool
}

// object is the spec, the status, or a struct of its own that a path such as server.port makes.
type object struct {
	parent *Field // the field of this type, nil for the spec and the status
	fields []*Field
	marks  []string // of the type
}

// Field is one field of the spec, of the status or of an object in them.
type Field struct {
	arg    string // the --field that it is from, or the first that implied it
	given  bool   // there is a --field for it, not only for what is in it
	name   string // in JSON
	path   string // from the spec or the status, with [] and {} where lists and maps are entered
	status bool
	owner  *object

	typ    fieldType
	goBase string  // the type in Go, without pointer, list or map
	object *object // where the type is object

	required, immutable bool
	markers             []string // of the rules, then those that are passed on
	columns             []Column // of the markers for columns, which are the kind's
	defaultText         *string
	defaults            any
}

// newField is the field of a path as --field has it.
func newField(arg, path string, t fieldType) *Field {
	rest, status := strings.CutPrefix(path, statusPrefix)
	f := &Field{arg: arg, given: true, name: rest[strings.LastIndexByte(rest, '.')+1:], path: rest, status: status, typ: t}
	if t.family == structure {
		f.object = &object{parent: f}
	}
	return f
}

// Parse reads all --field of a kind. Everything that is wrong is in the error, a line each.
func Parse(specs []string, o Options) (*Set, error) {
	s := &Set{Options: o}
	s.reserve()
	var problems []error
	try := func(arg string, err error) {
		if err != nil { // perhaps several, a line each
			prefix := fmt.Sprintf("--field %q: ", arg)
			problems = append(problems, errors.New(prefix+strings.ReplaceAll(err.Error(), "\n", "\n"+prefix)))
		}
	}
	for _, arg := range specs {
		try(arg, s.add(arg))
	}
	// A step reads what the one before it made of other fields; with one of them missing, it would misjudge the rest.
	for _, step := range []func(*Field) error{(*Field).complete, (*Field).readDefault, s.nameType, s.guard} {
		if len(problems) == 0 {
			s.all(func(f *Field) { try(f.arg, step(f)) })
		}
	}
	return s, errors.Join(problems...)
}

// add reads one --field and puts it where its path points.
func (s *Set) add(arg string) error {
	w, err := split(arg)
	if err != nil {
		return err
	}
	t, typeErr := parseType(w.typ)
	f := newField(arg, w.path, t)
	path, err := splitPath(f.path)
	switch {
	case f.status && !s.Status:
		return errors.New("the object has no status; omit --no-status or the field")
	case err != nil:
		return err
	case !f.status && len(path) > 1 && path[0].name == "spec":
		return fmt.Errorf("fields are in the spec by default; write %s", strings.TrimPrefix(w.path, specPrefix))
	case f.status && given[goname.Camel(path[0].name)]:
		return fmt.Errorf("every status has %s already; omit it", path[0].name)
	}
	if typeErr == nil { // which the rules are judged by
		typeErr = errors.Join(f.apply(w.rules), f.pass(w.markers))
	}
	owner := s.part(f.status)
	for _, in := range path[:len(path)-1] {
		implied := newField(arg, in.path, fieldType{prefix: in.prefix, base: "object", known: builtin["object"]})
		implied.given, implied.status = false, f.status
		if implied, err = owner.put(implied); err != nil {
			return errors.Join(typeErr, err)
		}
		owner = implied.object
	}
	_, err = owner.put(f)
	return errors.Join(typeErr, err)
}

// put adds a field, or returns the one that is there where both are the same: objects that paths enter, and at most one --field for
// the object itself.
func (o *object) put(f *Field) (*Field, error) {
	name := goname.Camel(f.name)
	for _, there := range o.fields {
		other := goname.Camel(there.name)
		same := f.name == there.name && f.object != nil && there.object != nil && f.typ.into() == there.typ.into()
		switch {
		case name == "With"+other || other == "With"+name:
			return nil, fmt.Errorf("%s and %s would give the apply configuration a field and a method of the same name; choose another name", f.name, there.name)
		case name != other:
		case !same || f.given && there.given:
			return nil, fmt.Errorf("the field %s exists already, as %s by --field %q; specify it once, with one type, or choose another name", name, there.typ, there.arg)
		case f.given:
			inside := there.object
			*there = *f
			there.owner, there.object = o, inside
			return there, nil
		default:
			return there, nil
		}
	}
	f.owner = o
	o.fields = append(o.fields, f)
	return f, nil
}

// complete gives a list its type, and refuses an object without fields.
func (f *Field) complete() error {
	f.markers = append(f.markers, listMarkers(f.typ, f.markers)...)
	if f.object != nil && len(f.object.fields) == 0 {
		inside := strings.TrimPrefix(f.fullPath(), specPrefix) + f.typ.into()
		return fmt.Errorf("the object has no fields; add --field %s.NAME:TYPE", inside)
	}
	return nil
}

// part is the spec or the status.
func (s *Set) part(status bool) *object {
	if status {
		return &s.status
	}
	return &s.spec
}

// all walks over the fields of the spec and then of the status, those of an object after the object.
func (s *Set) all(do func(*Field)) {
	s.spec.all(do)
	s.status.all(do)
}

func (o *object) all(do func(*Field)) {
	for _, f := range o.fields {
		do(f)
		if f.object != nil {
			f.object.all(do)
		}
	}
}

// Has reports whether there is the field of a path as --field has it, such as replicas, server.port or status.phase.
func (s *Set) Has(path string) bool { return s.GoType(path) != "" }

// GoType is the type of a field in Go as it is written in the package of the types, or empty where there is no such field.
func (s *Set) GoType(path string) (goType string) {
	rest, status := strings.CutPrefix(path, statusPrefix)
	s.all(func(f *Field) {
		if f.status == status && f.path == rest {
			goType = f.goType()
		}
	})
	return goType
}

// Empty reports whether there are no fields of the spec.
func (s *Set) Empty() bool { return len(s.spec.fields) == 0 }
