// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/text/lazyregexp"
)

// declared are the types that packages declare.
func (c Context) declared(paths []string) (all []*types.TypeName) {
	for _, path := range paths {
		if p := c.Graph.Packages[path]; p != nil && p.Types != nil {
			for _, name := range p.Types.Scope().Names() {
				if decl, ok := p.Types.Scope().Lookup(name).(*types.TypeName); ok && !decl.IsAlias() {
					all = append(all, decl)
				}
			}
		}
	}
	return all
}

// field is a field of a struct type, and its type as its package writes it.
type field struct {
	*types.Var
	path, name, typ string // path is PACKAGE.TYPE.FIELD, as upstream's words have it, and name is TYPE.FIELD
}

// fields are those of a declaration that is a struct.
func fields(decl *types.TypeName) (all []field) {
	if s, ok := decl.Type().Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			name := decl.Name() + "." + f.Name()
			all = append(all, field{f, decl.Pkg().Path() + "." + name, name, types.TypeString(f.Type(), types.RelativeTo(decl.Pkg()))})
		}
	}
	return all
}

// line is the place of a declaration, and what is wrong with it.
func (c Context) line(pos token.Pos, format string, args ...any) string {
	return c.Graph.Fset.Position(pos).String() + ": " + fmt.Sprintf(format, args...)
}

// notUTF8 are the words of a formatter that was handed half a letter.
var notUTF8 = lazyregexp.New(`generated code that is not Go: .*illegal (UTF-8|character)`)

// nonASCII are the types whose names begin with a letter of several bytes, with their places: the generators of clients change
// the case of the first byte.
func nonASCII(c Context, said string) error {
	if !notUTF8.MatchString(said) {
		return nil
	}
	var lines []string
	for _, decl := range c.declared(c.Load) {
		if decl.Name()[0] >= utf8.RuneSelf && decl.Exported() {
			lines = append(lines, c.line(decl.Pos(), "%s begins with a letter that is not ASCII, for which the generators write invalid Go", decl.Name()))
		}
	}
	return diag.WithHint("cannot generate code for the API packages", c.Root, "rename it", lines...)
}

// aboutGenerics matches errors that generic types cause: applyconfiguration-gen takes their names for names in Go, and
// deepcopy-gen copies them only as long as they are not asked for.
var aboutGenerics = lazyregexp.New(`applyconfiguration-gen generated code that is not Go|Hit an unsupported type '\w+' for '\w+', from \S+\]`)

// generic are the fields with a generic type, and if there are none the generic types, with their places.
func generic(c Context, said string) error {
	if !aboutGenerics.MatchString(said) {
		return nil
	}
	var uses, decls []string
	for _, decl := range c.declared(c.Load) {
		if named, ok := decl.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
			decls = append(decls, c.line(decl.Pos(), "%s is a generic type, which not all generators support", decl.Name()))
		}
		for _, f := range fields(decl) {
			if instantiates(f.Type()) {
				uses = append(uses, c.line(f.Pos(), "%s has the generic type %s, which not all generators support", f.name, f.typ))
			}
		}
	}
	if len(uses) > 0 {
		decls = uses
	}
	return diag.WithHint("cannot generate code for the API packages", c.Root, "declare a struct type for each use, or mark the generic type with // +k8s:deepcopy-gen=false if no kind uses it", decls...)
}

// instantiates reports whether a type is, or is made of, one with type arguments.
func instantiates(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.TypeArgs().Len() > 0
	case *types.Map:
		return instantiates(t.Key()) || instantiates(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays
		return instantiates(t.Elem())
	}
	return false
}

// aboutCopies are the words that come of types which deepcopy-gen cannot copy: its own, or those of a formatter that was
// handed DeepCopyinterface{…}() by it, or by a generator that trusts in the copies.
var aboutCopies = lazyregexp.New(`deepcopy-gen|generated code that is not Go`)

// uncopyable are the fields that deepcopy-gen cannot copy, with their places: upstream names a type at best. Where said names a field,
// it is about that one.
func uncopyable(c Context, said string) error {
	if !aboutCopies.MatchString(said) {
		return nil
	}
	var found []field
	for _, decl := range c.declared(c.Copied) {
		if !copiesItself(decl.Type()) {
			found = append(found, slices.DeleteFunc(fields(decl), func(f field) bool { return whyUncopyable(f.Type()) == "" })...)
		}
	}
	if i := slices.IndexFunc(found, func(f field) bool { return strings.HasSuffix(said, "from "+f.path) }); i >= 0 {
		found = found[i : i+1]
	}
	slices.SortFunc(found, func(a, b field) int {
		return cmp.Or(cmp.Compare(a.Pkg().Path(), b.Pkg().Path()), cmp.Compare(a.Pos(), b.Pos()))
	})
	var lines []string
	for _, f := range found {
		lines = append(lines, c.line(f.Pos(), "%s has the type %s, which cannot be deep-copied; %s", f.name, f.typ, whyUncopyable(f.Type())))
	}
	return diag.New("cannot generate deep copies for the API packages", c.Root, lines...)
}

// whyUncopyable is what a user can do about a type that cannot be copied; empty for all others.
func whyUncopyable(t types.Type) string {
	t = types.Unalias(t)
	if _, parameter := t.(*types.TypeParam); parameter || copiesItself(t) {
		return "" // deepcopy-gen copies generic types
	}
	switch u := t.Underlying().(type) {
	case *types.Signature, *types.Chan:
		return `remove the field, or mark its struct with // +k8s:deepcopy-gen=false and write its DeepCopyInto yourself`
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 || u.Kind() == types.UnsafePointer {
			return "make it a string, a number or a bool"
		}
	case *types.Interface:
		named, ok := t.(*types.Named)
		if !ok {
			return "use runtime.RawExtension or apiextensionsv1.JSON for arbitrary values, or a named interface with a DeepCopyNAME method"
		}
		if name := named.Obj().Name(); !hasMethod(t, "DeepCopy"+name) {
			return fmt.Sprintf("give the interface the method DeepCopy%s() %s", name, name)
		}
	case interface{ Elem() types.Type }:
		elem := types.Unalias(u.Elem())
		_, named := elem.(*types.Named)
		switch elem.Underlying().(type) {
		case *types.Interface, *types.Signature, *types.Chan:
			return whyUncopyable(elem)
		}
		if !named { // named structs are looked at where they are declared
			return whyUncopyable(elem)
		}
	}
	return ""
}

// copiesItself reports whether it is written by hand how a type is copied.
func copiesItself(t types.Type) bool {
	return !types.IsInterface(t) && (hasMethod(t, "DeepCopy") || hasMethod(t, "DeepCopyInto"))
}

func hasMethod(t types.Type, name string) bool {
	found, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := found.(*types.Func)
	return ok
}
