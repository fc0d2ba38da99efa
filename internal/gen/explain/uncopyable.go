package explain

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// field is a field of a type that deepcopy-gen can't copy.
type field struct {
	pos  token.Pos
	name string // PACKAGE.TYPE.FIELD, as upstream's words have it
	said string
}

// uncopyable are the fields that deepcopy-gen can't copy, with their places: upstream names a type at best. said are its
// words; where they name a field, it is about that one.
func uncopyable(root string, g *load.Graph, paths []string, said string) error {
	var found []field
	for _, path := range paths {
		if p := g.Packages[path]; p != nil && p.Types != nil {
			found = append(found, fieldsOf(p.Types)...)
		}
	}
	if named := slices.DeleteFunc(slices.Clone(found), func(f field) bool { return !strings.HasSuffix(said, "from "+f.name) }); len(named) > 0 {
		found = named
	}
	var lines []string
	for _, f := range found {
		lines = append(lines, fmt.Sprintf("%s: %s", g.Fset.Position(f.pos), f.said))
	}
	return diag.New("copy the types of the API packages", root, lines...)
}

// fieldsOf looks at all struct types of a package, in the order in which they stand there.
func fieldsOf(p *types.Package) []field {
	var found []field
	for _, name := range p.Scope().Names() {
		decl, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || decl.IsAlias() || copiesItself(decl.Type()) {
			continue
		}
		s, ok := decl.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for f := range s.Fields() {
			if why := whyUncopyable(f.Type()); why != "" {
				short := name + "." + f.Name()
				typ := types.TypeString(f.Type(), types.RelativeTo(p))
				found = append(found, field{f.Pos(), p.Path() + "." + short, fmt.Sprintf("%s has the type %s, which can't be copied deeply; %s", short, typ, why)})
			}
		}
	}
	slices.SortFunc(found, func(a, b field) int { return int(a.pos) - int(b.pos) })
	return found
}

// whyUncopyable is what a user can do about a type that can't be copied; empty for all others.
func whyUncopyable(t types.Type) string {
	if _, parameter := types.Unalias(t).(*types.TypeParam); parameter || copiesItself(t) {
		return "" // deepcopy-gen copies generic types
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Signature, *types.Chan:
		return `take the field out, or mark its struct with // +k8s:deepcopy-gen=false and write the DeepCopyInto of that by hand`
	case *types.Basic:
		if u.Info()&types.IsComplex != 0 || u.Kind() == types.UnsafePointer {
			return "make it a string, a number or a bool"
		}
	case *types.Interface:
		named, ok := types.Unalias(t).(*types.Named)
		if !ok {
			return "make it a runtime.RawExtension or an apiextensionsv1.JSON if it takes any value, or a named interface with a DeepCopyNAME method"
		}
		name := named.Obj().Name()
		if !slices.Contains(methods(u), "DeepCopy"+name) {
			return fmt.Sprintf("give the interface the method DeepCopy%s() %s", name, name)
		}
	case *types.Pointer:
		return elemUncopyable(u.Elem())
	case *types.Slice:
		return elemUncopyable(u.Elem())
	case *types.Array:
		return elemUncopyable(u.Elem())
	case *types.Map:
		return elemUncopyable(u.Elem())
	}
	return ""
}

// elemUncopyable is whyUncopyable of what a type is made of; named structs are looked at where they are declared.
func elemUncopyable(t types.Type) string {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if _, ok := named.Underlying().(*types.Interface); !ok && !isFuncOrChan(named) {
			return ""
		}
	}
	return whyUncopyable(t)
}

func isFuncOrChan(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Signature, *types.Chan:
		return true
	}
	return false
}

// copiesItself tells whether somebody wrote how a type is copied.
func copiesItself(t types.Type) bool {
	set := types.NewMethodSet(types.NewPointer(t))
	if _, isPointer := types.Unalias(t).(*types.Pointer); isPointer {
		set = types.NewMethodSet(t)
	}
	return set.Lookup(nil, "DeepCopy") != nil || set.Lookup(nil, "DeepCopyInto") != nil
}

func methods(i *types.Interface) []string {
	var names []string
	for m := range i.Methods() {
		names = append(names, m.Name())
	}
	return names
}
