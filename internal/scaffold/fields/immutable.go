package fields

import (
	"slices"
	"strings"
)

// reserved are the words that CEL writes otherwise where they are names of fields.
var reserved = strings.Fields("true false null in as break const continue else for function if import let loop package namespace return var void while")

func celName(name string) string {
	if slices.Contains(reserved, name) {
		return "__" + name + "__"
	}
	return name
}

// markParents gives the types the rules that keep an immutable field from being removed: a rule at the field itself is not
// run where the field is gone. The rule is at the outermost object, so that removing what the field is in is no way either.
func (s *Set) markParents() {
	s.all(func(f *Field) {
		if !f.immutable {
			return
		}
		root, chain, path := f.owner, []*Field{f}, f.name
		for root.parent != nil && root.parent.typ.single() {
			chain = append([]*Field{root.parent}, chain...)
			path = root.parent.name + "." + path
			root = root.parent.owner
		}
		old, now := presence("oldSelf", chain), presence("self", chain)
		if len(old) == 0 {
			return // always there
		}
		before, after := strings.Join(old, " && "), strings.Join(now, " && ")
		if len(old) > 1 {
			before, after = "("+before+")", "("+after+")"
		}
		root.marks = append(root.marks, validation("!"+before+" || "+after, path+" is immutable, and can't be removed once it is set"))
	})
}

// presence are the tests for each part of a path that may be missing.
func presence(of string, chain []*Field) []string {
	var tests []string
	for _, f := range chain {
		of += "." + celName(f.name)
		if !f.required && f.defaults == nil {
			tests = append(tests, "has("+of+")")
		}
	}
	return tests
}
