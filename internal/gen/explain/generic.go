package explain

import (
	"fmt"
	"go/types"
	"regexp"

	"github.com/crdctl/crdctl/internal/gen/diag"
	"github.com/crdctl/crdctl/internal/gen/load"
)

// aboutGenerics matches errors that generic types cause: applyconfiguration-gen takes their names for names in Go, and
// deepcopy-gen copies them only as long as they are not asked for.
var aboutGenerics = regexp.MustCompile(`applyconfiguration-gen made code that is not Go|Hit an unsupported type '\w+' for '\w+', from \S+\]`)

// generic are the fields with a generic type, and if there are none the generic types, with their places.
func generic(root string, g *load.Graph, paths []string, said string) error {
	if !aboutGenerics.MatchString(said) {
		return nil
	}
	var fields, decls []string
	for _, path := range paths {
		p := g.Packages[path]
		if p == nil || p.Types == nil {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			decl, ok := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !ok || decl.IsAlias() {
				continue
			}
			if named, ok := decl.Type().(*types.Named); ok && named.TypeParams().Len() > 0 {
				decls = append(decls, fmt.Sprintf("%s: %s is a generic type, for which not all generators make code", g.Fset.Position(decl.Pos()), name))
			}
			s, ok := decl.Type().Underlying().(*types.Struct)
			if !ok {
				continue
			}
			for f := range s.Fields() {
				if t := types.TypeString(f.Type(), types.RelativeTo(p.Types)); instantiates(f.Type()) {
					fields = append(fields, fmt.Sprintf("%s: %s.%s has the generic type %s, for which not all generators make code", g.Fset.Position(f.Pos()), name, f.Name(), t))
				}
			}
		}
	}
	if len(fields) > 0 {
		decls = fields
	}
	return diag.WithHint("generate code for the API packages", root, "declare a struct type for each use, or mark the generic type with // +k8s:deepcopy-gen=false where no kind has it", decls...)
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
