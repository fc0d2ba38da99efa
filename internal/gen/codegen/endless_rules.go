// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/types"
)

// endless returns, for the generators that follow types without an end, the types on which they would: a path from a type back
// to itself, nil if there is none. The rules are those of upstream's functions, given after each.
var endless = map[string]func(*types.Type) []*types.Type{
	"deepcopy-gen":           endlessCopy,
	"openapi-gen":            func(t *types.Type) []*types.Type { return endlessSchema(t, nil) },
	"applyconfiguration-gen": endlessApply,
}

// endlessCopy is for generateFor and what it calls, in deepcopy.go.
func endlessCopy(t *types.Type) []*types.Type {
	if copies(t) {
		return nil
	}
	for _, m := range t.Members {
		if copies(m.Type) {
			continue
		}
		if found := circle(m.Type, copied); found != nil {
			return found
		}
	}
	return circle(t, copied)
}

// copied is what deepcopy-gen copies inline: elements whose type has no method for that.
func copied(t *types.Type) []*types.Type {
	for t.Kind == types.Alias {
		t = t.Underlying
	}
	switch t.Kind {
	case types.Slice, types.Map, types.Pointer:
		if !copies(t.Elem) {
			return []*types.Type{t.Elem}
		}
	}
	return nil
}

func copies(t *types.Type) bool {
	return t.Methods["DeepCopy"] != nil || t.Methods["DeepCopyInto"] != nil
}

// endlessSchema is for generateMembers and generateProperty, in openapi.go of kube-openapi. within are the structs that have the
// members of t inline.
func endlessSchema(t *types.Type, within []*types.Type) []*types.Type {
	for t.Kind == types.Pointer && t.Elem.Kind == types.Struct {
		t = t.Elem
	}
	if at := slices.Index(within, t); at >= 0 {
		return within[at:]
	}
	if t.Kind != types.Struct || within == nil && definesItself(t) {
		return nil
	}
	for _, m := range t.Members {
		tag, tagged := reflect.StructTag(m.Tags).Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		var found []*types.Type
		switch {
		case name == "-" || slices.Contains(gengo.ExtractCommentTags("+", m.CommentLines)["k8s:openapi-gen"], "false"): //nolint:staticcheck // as openapi-gen reads it
		case m.Embedded && tagged && name == "":
			found = endlessSchema(m.Type, append(slices.Clone(within), t))
		default:
			found = circle(m.Type, elements)
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// elements are the types that a type without fields is made of.
func elements(t *types.Type) []*types.Type {
	switch t.Kind {
	case types.Alias:
		return []*types.Type{t.Underlying}
	case types.Map:
		return []*types.Type{t.Elem, t.Key}
	case types.Slice, types.Array, types.Pointer:
		return []*types.Type{t.Elem}
	}
	return nil
}

// endlessApply is for applyConfigForType and isApplyConfig in refgraph.go, and deref in applyconfiguration.go.
func endlessApply(t *types.Type) []*types.Type {
	for _, m := range t.Members {
		found := circle(m.Type, pointee)
		if found == nil {
			deref := m.Type
			for deref.Kind == types.Pointer {
				deref = deref.Elem
			}
			switch {
			case deref.Kind == types.Slice:
				found = circle(deref.Elem, pointee)
			case deref.Kind == types.Map:
				found = circle(deref.Key, pointee)
			case m.Embedded && m.Type.Kind == types.Struct:
				found = endlessApply(m.Type)
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func pointee(t *types.Type) []*types.Type {
	if t.Kind == types.Pointer {
		return []*types.Type{t.Elem}
	}
	return nil
}

// endlessValidation is for NativeType in util.go of validation-gen, which is not linked: which types it starts from is
// approximated by the exported ones, pointers left out unless the package asks for all of its types.
func (s *source) endlessValidation(inputs []string) error {
	c, _, err := s.context(inputs, true)
	if err != nil {
		return err
	}
	for _, input := range inputs {
		pkg := c.Universe.Package(input)
		all := slices.Contains(gengo.ExtractCommentTags("+", pkg.Comments)["k8s:validation-gen"], "*") //nolint:staticcheck // as validation-gen reads it
		for _, name := range slices.Sorted(maps.Keys(pkg.Types)) {
			t := pkg.Types[name]
			if !exported(t.Name.Name) || t.Kind == types.Pointer && !all {
				continue
			}
			if err := endlessError(endlessPointer(t)); err != nil {
				return err
			}
			for _, m := range t.Members {
				if err := endlessError(endlessPointer(m.Type)); exported(m.Name) && err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// endlessPointer looks for pointers to themselves among the types that a type is made of, which may refer to each other.
func endlessPointer(t *types.Type) (found []*types.Type) {
	circle(t, func(t *types.Type) []*types.Type {
		if found == nil {
			found = circle(t, pointee)
		}
		return elements(t)
	})
	return found
}

func exported(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(first)
}
