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
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// Options say what the fields are fields of.
type Options struct {
	// Kind is the kind in Go; the names of all types that are made begin with it.
	Kind string
	// Status reports whether there is a status to put fields into.
	Status bool
	// Taken are the names that the package of the kind has already, beside those that every API's package has.
	Taken []string
}

// Set is what all --field of a kind say together.
type Set struct {
	kind         string
	hasStatus    bool
	spec, status *object
	types        []*Field // that a type is made for, a struct or an enum, in the order in which they are written
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
	rules               int      // how many of the markers are of rules
	columns             []Column // of the markers for columns, which are the kind's
	defaultText         *string
	defaults            any
}

// newField is a field of a path as --field has it.
func newField(arg, path string, t fieldType) *Field {
	rest, status := strings.CutPrefix(path, statusPrefix)
	return &Field{arg: arg, given: true, name: rest[strings.LastIndexByte(rest, '.')+1:], path: rest, status: status, typ: t}
}

// fullPath is the path from the object of the kind on.
func (f *Field) fullPath() string {
	if f.status {
		return statusPrefix + f.path
	}
	return specPrefix + f.path
}

// Import is a package that the fields' types come from. The alias is empty where the package's own name is used.
type Import struct{ Alias, Path string }

// Parse reads all --field of a kind. Everything that is wrong is in the error, a line each.
func Parse(specs []string, o Options) (*Set, error) {
	s := &Set{kind: o.Kind, hasStatus: o.Status, spec: &object{}, status: &object{}}
	var problems []error
	for _, arg := range specs {
		problems = append(problems, named(arg, s.add(arg, o))...)
	}
	// What depends on other fields can only be judged when all are there; with one missing, it would be misjudged.
	if len(problems) == 0 {
		s.all(func(f *Field) { problems = append(problems, named(f.arg, f.complete())...) })
	}
	if len(problems) == 0 {
		s.all(func(f *Field) { problems = append(problems, named(f.arg, f.readDefault())...) })
	}
	if len(problems) == 0 {
		problems = s.nameTypes(o.Taken)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	s.markParents()
	return s, nil
}

// complete gives a list its type, and refuses an object without fields.
func (f *Field) complete() error {
	f.markers = append(f.markers, listMarkers(f.typ, f.markers)...)
	if f.object != nil && len(f.object.fields) == 0 {
		inside := strings.TrimPrefix(f.fullPath(), specPrefix) + intoOf(f.typ)
		return fmt.Errorf("the object has no fields; add --field %s.NAME:TYPE", inside)
	}
	return nil
}

// named puts the --field before each of the errors.
func named(arg string, err error) []error {
	if err == nil {
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok { // what errors.Join joined here
		var all []error
		for _, e := range several.Unwrap() {
			all = append(all, named(arg, e)...)
		}
		return all
	}
	return []error{fmt.Errorf("--field %q: %w", arg, err)}
}

// part is the spec or the status, without fields where there is no set.
func (s *Set) part(status bool) *object {
	switch {
	case s == nil:
		return &object{}
	case status:
		return s.status
	}
	return s.spec
}

// all walks over the fields of the spec and then of the status, those of an object after the object.
func (s *Set) all(do func(*Field)) {
	s.part(false).all(do)
	s.part(true).all(do)
}

func (o *object) all(do func(*Field)) {
	for _, f := range o.fields {
		do(f)
		if f.object != nil {
			f.object.all(do)
		}
	}
}

// find is the field of a path as --field has it, which begins with status. for a field of the status.
func (s *Set) find(path string) *Field {
	var found *Field
	rest, status := strings.CutPrefix(path, statusPrefix)
	s.all(func(f *Field) {
		if f.status == status && f.path == rest {
			found = f
		}
	})
	return found
}

// Has reports whether there is the field of a path as --field has it, such as replicas, server.port or status.phase.
func (s *Set) Has(path string) bool { return s.find(path) != nil }

// GoName is the name of a field in Go, from the spec or the status on: Server.Port for server.port. It is empty where
// there is no such field, or where a list or a map is between.
func (s *Set) GoName(path string) string {
	f := s.find(path)
	if f == nil || strings.ContainsAny(f.path, "[{") {
		return ""
	}
	names := []string{goname.Camel(f.name)}
	for p := f.owner.parent; p != nil; p = p.owner.parent {
		names = append(names, goname.Camel(p.name))
	}
	slices.Reverse(names)
	return strings.Join(names, ".")
}

// GoType is the type of a field in Go as it is written in the package of the types, or empty where there is no such field.
func (s *Set) GoType(path string) string {
	if f := s.find(path); f != nil {
		return f.goType()
	}
	return ""
}

// Empty reports whether there are no fields of the spec.
func (s *Set) Empty() bool { return len(s.part(false).fields) == 0 }
