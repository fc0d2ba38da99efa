package fields

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// add reads one --field and puts it where its path says.
func (s *Set) add(arg string, o Options) error {
	if err := printable(arg); err != nil {
		return err
	}
	w, err := split(arg)
	if err != nil {
		return err
	}
	if err := w.refuseRemoved(arg); err != nil {
		return err
	}
	t, typeErr := parseType(w.typ)
	f := newField(arg, w.path, t)
	if f.status && !o.Status {
		return errors.New("there is no status for it; leave out --no-status, or the field")
	}
	segments, err := splitPath(f.path)
	if err != nil {
		return err
	}
	if !f.status && len(segments) > 1 && segments[0].name == "spec" {
		return fmt.Errorf("fields are in the spec by default; write %s", strings.TrimPrefix(w.path, "spec."))
	}
	if f.status && given[goname.Camel(segments[0].name)] {
		return fmt.Errorf("every status has %s already; leave it out", segments[0].name)
	}
	// The rules are judged by the type; without it there is nothing to say of them.
	if typeErr == nil {
		typeErr = errors.Join(f.apply(w.rules), f.pass(w.markers))
	}
	owner := s.part(f.status)
	for _, seg := range segments[:len(segments)-1] {
		if owner, err = owner.enter(f, seg); err != nil {
			return errors.Join(typeErr, err)
		}
	}
	return errors.Join(typeErr, owner.put(f))
}

// pass takes the markers that are passed on. Those of columns are the kind's, and those that fields get in any case are rules here.
func (f *Field) pass(markers []string) error {
	var problems []error
	f.rules = len(f.markers)
	for _, m := range markers {
		name, _, _ := strings.Cut(m, "=")
		switch {
		case strings.HasPrefix(m, columnPrefix):
			c, err := parseColumn(m)
			f.columns = append(f.columns, c)
			problems = append(problems, err)
		case name == "+required", name == "+optional", name == "+default", strings.HasPrefix(name, "+kubebuilder:default"):
			problems = append(problems, fmt.Errorf("%s is what rules are for; write required, default=VALUE or neither, before the markers", name))
		default:
			f.markers = append(f.markers, m)
		}
	}
	return errors.Join(problems...)
}

// enter returns the object of a part of a path, and makes it if it is not there.
func (o *object) enter(f *Field, seg segment) (*object, error) {
	prefix, path := prefixes[seg.into], seg.name
	if o.parent != nil {
		path = o.parent.path + intoOf(o.parent.typ) + "." + seg.name
	}
	if there := o.named(seg.name); there != nil {
		switch {
		case there.name != seg.name:
			return nil, fmt.Errorf("the name %s is %s in Go, as %s is, which --field %q has; choose another", seg.name, goname.Camel(seg.name), there.name, there.arg)
		case there.object == nil:
			return nil, fmt.Errorf("%s is %s by --field %q, and has no fields in it; make it object there, or choose another name", path, there.typ.base, there.arg)
		case strings.TrimPrefix(there.typ.prefix, "*") != prefix:
			return nil, fmt.Errorf("%s is %sobject by --field %q; write %s in the path", path, there.typ.prefix, there.arg, path+intoOf(there.typ))
		}
		return there.object, nil
	}
	if err := o.clash(seg.name); err != nil {
		return nil, err
	}
	made := &Field{arg: f.arg, name: seg.name, path: path, status: f.status, owner: o, typ: fieldType{prefix: prefix, base: "object", family: structure}}
	made.object = &object{parent: made}
	o.fields = append(o.fields, made)
	return made.object, nil
}

// put adds a field, or says of one that a path made what it is.
func (o *object) put(f *Field) error {
	f.owner = o
	if f.typ.family == structure {
		f.object = &object{parent: f}
	}
	there := o.named(f.name)
	switch {
	case there == nil:
		if err := o.clash(f.name); err != nil {
			return err
		}
		o.fields = append(o.fields, f)
		return nil
	case there.given || there.name != f.name:
		return fmt.Errorf("the field %s is there already, by --field %q; leave one out, or choose another name", goname.Camel(f.name), there.arg)
	case f.typ.family != structure:
		return fmt.Errorf("%s has fields in it by --field %q; its type must be object, or []object or map[string]object", f.path, there.arg)
	case intoOf(f.typ) != intoOf(there.typ):
		return fmt.Errorf("%s is %sobject by --field %q; say the same here", f.path, there.typ.prefix, there.arg)
	}
	// The fields that are in it are in it still.
	owner, inside := there.owner, there.object
	*there = *f
	there.owner, there.object = owner, inside
	return nil
}

// named is the field whose name is the same in Go.
func (o *object) named(name string) *Field {
	for _, f := range o.fields {
		if goname.Camel(f.name) == goname.Camel(name) {
			return f
		}
	}
	return nil
}

// clash refuses a name where the method of a field in the apply configuration, WithX, has the name of the other field.
func (o *object) clash(name string) error {
	for _, f := range o.fields {
		if goname.Camel(f.name) == "With"+goname.Camel(name) || "With"+goname.Camel(f.name) == goname.Camel(name) {
			return fmt.Errorf("%s and %s would have a field and a method of one name in the apply configuration; choose another name", name, f.name)
		}
	}
	return nil
}

// prefixes are those of the types that a path enters in each way.
var prefixes = map[string]string{"[]": "[]", "{}": "map[string]"}

// intoOf is how a path enters a field of the type.
func intoOf(t fieldType) string {
	return map[string]string{"[]": "[]", "map[string]": "{}"}[t.prefix]
}
