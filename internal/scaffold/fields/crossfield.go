package fields

import (
	"errors"
	"fmt"
	"slices"
)

// whole judges what can be judged only when all fields are known, and reads the values of default and example.
func (s *Set) whole() []error {
	var problems []error
	s.all(func(f *Field) { problems = append(problems, named(f.arg, f.complete())...) })
	if len(problems) > 0 {
		return problems // values of objects are misjudged where the fields are wrong
	}
	s.all(func(f *Field) { problems = append(problems, named(f.arg, f.values())...) })
	if len(problems) > 0 {
		return problems
	}
	s.all(func(f *Field) { problems = append(problems, named(f.arg, f.tryRules())...) })
	return problems
}

// complete holds a field against those in it and around it.
func (f *Field) complete() error {
	if f.object != nil && len(f.object.fields) == 0 {
		return fmt.Errorf("the object has no fields; add --field %s.NAME:TYPE", f.inside())
	}
	if f.typ.list() && f.rules.listType == "" {
		f.rules.listType = "atomic"
		if f.typ.base == "metav1.Condition" { // as every list of conditions in Kubernetes
			f.rules.listType, f.rules.listMapKeys = "map", []string{"type"}
		}
	}
	return errors.Join(f.keys(), f.transitions())
}

// inside is the path of the field as the paths of fields in it begin.
func (f *Field) inside() string {
	path := f.path + intoOf(f.typ)
	if f.status {
		path = statusPrefix + path
	}
	return path
}

// keys holds the keys of a list to what the API server wants of them.
func (f *Field) keys() error {
	if f.rules.listType != "map" {
		return nil
	}
	if len(f.rules.listMapKeys) == 0 {
		return errors.New("listType=map needs the field by which items are told apart; add listMapKey=NAME")
	}
	var problems []error
	for _, key := range f.rules.listMapKeys {
		if f.typ.family == foreign {
			if !keyOfForeign(f.typ.known.goType, key) {
				problems = append(problems, fmt.Errorf("listMapKey: %s has no field %s that is always there and is a string, an integer or a bool; choose another, or listType=atomic", f.typ.base, key))
			}
			continue
		}
		i := slices.IndexFunc(f.object.fields, func(c *Field) bool { return c.name == key })
		switch {
		case i < 0:
			problems = append(problems, fmt.Errorf("listMapKey: there is no field %s in %s; add --field %s.%s:string:required", key, f.path, f.inside(), key))
		case !f.object.fields[i].typ.single() || !slices.Contains([]family{text, number, boolean}, f.object.fields[i].typ.family):
			problems = append(problems, fmt.Errorf("listMapKey: %s must be a string, an integer or a bool; choose another", key))
		case !f.object.fields[i].rules.required && f.object.fields[i].rules.defaultText == nil:
			problems = append(problems, fmt.Errorf("listMapKey: %s must be required or have a default, since items are told apart by it; add required to --field %q", key, f.object.fields[i].arg))
		case f.object.fields[i].rules.nullable:
			problems = append(problems, fmt.Errorf("listMapKey: %s can't be nullable; leave that out in --field %q", key, f.object.fields[i].arg))
		}
	}
	return errors.Join(problems...)
}

// values reads default and example, and looks whether there is a value for the sample.
func (f *Field) values() error {
	var problems []error
	for _, v := range []struct {
		name string
		said *string
		to   *any
	}{{"default", f.rules.defaultText, &f.rules.defaults}, {"example", f.rules.exampleText, &f.rules.example}} {
		if v.said == nil {
			continue
		}
		made, err := f.read(*v.said)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", v.name, err))
			continue
		}
		*v.to = made
	}
	// What is in an object says for itself what is wrong with it.
	if len(problems) == 0 && f.object == nil {
		if _, err := f.sample(); err != nil {
			return err
		}
	}
	return errors.Join(problems...)
}
