package fields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

// packageNames are those that the package of every API has.
var packageNames = []string{"Kind", "Resource", "GroupName", "SchemeGroupVersion", "SchemeBuilder", "AddToScheme", "localSchemeBuilder"}

// maxTypeName leaves room for the names of files that generators make of the names of types.
const maxTypeName = 200

// nameTypes decides the names of all types. Names are compared without their case: generators name files after them.
func (s *Set) nameTypes(taken []string) []error {
	used := map[string]bool{}
	k := s.kind
	for _, n := range append(append([]string{k, k + "Spec", k + "Status", k + "List", "Extract" + k, "Extract" + k + "From", "Extract" + k + "Status"}, packageNames...), taken...) {
		used[strings.ToLower(n)] = true
	}
	var problems []error
	s.all(func(f *Field) {
		f.goBase = f.typ.base
		if f.object == nil && f.typ.enum == nil {
			return
		}
		name := s.freeName(f, used)
		if len(name) > maxTypeName {
			problems = append(problems, named(f.arg, fmt.Errorf("the type would be called %s, which is %d characters long; %d is the most: choose shorter names", name, len(name), maxTypeName))...)
		}
		f.goBase = name
		for _, n := range declared(name, f) {
			used[n] = true
		}
		s.types = append(s.types, f)
	})
	return problems
}

// declared are the names that come with a type, in lower case: its own and those of its constants.
func declared(name string, f *Field) []string {
	all := []string{strings.ToLower(name)}
	for _, v := range f.typ.enum {
		all = append(all, strings.ToLower(name+goname.Camel(v)))
	}
	return all
}

// freeName is the kind and the path, where that is free; else the same with Spec or Status between; else with a number.
func (s *Set) freeName(f *Field, used map[string]bool) string {
	path := ""
	for p := f; p != nil; p = p.owner.parent {
		n := goname.Camel(p.name)
		if !p.typ.single() {
			n = goname.Singular(p.name)
		}
		path = n + path
	}
	free := func(name string) bool {
		// applyconfiguration-gen puts this after the names of types.
		return !strings.HasSuffix(name, "ApplyConfiguration") && !slices.ContainsFunc(declared(name, f), func(n string) bool { return used[n] })
	}
	owner := "Spec"
	if f.status {
		owner = "Status"
	}
	name := s.kind + path
	if !free(name) {
		name = s.kind + owner + path
	}
	for n, base := 2, name; !free(name); n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	return name
}
