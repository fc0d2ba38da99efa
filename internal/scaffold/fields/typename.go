// SPDX-License-Identifier: Apache-2.0

package fields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/text/goname"
)

const (
	// packageNames are those that the package of every API has; %s is the kind.
	packageNames = "%[1]s %[1]sSpec %[1]sStatus %[1]sList Extract%[1]s Extract%[1]sFrom Extract%[1]sStatus " +
		"Kind Resource GroupName SchemeGroupVersion SchemeBuilder AddToScheme localSchemeBuilder"
	// maxTypeName leaves room for the names of files that generators make of the names of types.
	maxTypeName = 200
)

// reserve takes the names that no type of the fields may have. Names are compared without their case: generators name files after them.
func (s *Set) reserve() {
	s.used = map[string]bool{}
	for _, name := range append(strings.Fields(fmt.Sprintf(packageNames, s.Kind)), s.Taken...) {
		s.used[strings.ToLower(name)] = true
	}
}

// nameType decides the name of a field's type, if one is made for it.
func (s *Set) nameType(f *Field) error {
	f.goBase = f.typ.base
	if f.object == nil && f.typ.enum == nil {
		return nil
	}
	f.goBase = s.freeName(f)
	if len(f.goBase) > maxTypeName {
		return fmt.Errorf("the type name %s has %d characters; the maximum is %d: choose shorter names", f.goBase, len(f.goBase), maxTypeName)
	}
	for _, n := range declared(f.goBase, f) {
		s.used[n] = true
	}
	s.types = append(s.types, f)
	return nil
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
func (s *Set) freeName(f *Field) string {
	path := ""
	for p := f; p != nil; p = p.owner.parent {
		if p.typ.single() {
			path = goname.Camel(p.name) + path
		} else {
			path = goname.Singular(p.name) + path
		}
	}
	free := func(name string) bool {
		// applyconfiguration-gen puts this after the names of types.
		return !strings.HasSuffix(name, "ApplyConfiguration") && !slices.ContainsFunc(declared(name, f), func(n string) bool { return s.used[n] })
	}
	if free(s.Kind + path) {
		return s.Kind + path
	}
	base := s.Kind + map[bool]string{true: "Status", false: "Spec"}[f.status] + path
	name := base
	for n := 2; !free(name); n++ {
		name = fmt.Sprintf("%s%d", base, n)
	}
	return name
}
