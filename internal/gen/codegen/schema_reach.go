// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/gengo/v2"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"
	"k8s.io/kube-openapi/pkg/common"
)

// reach is a walk over the structs that some types are made of, as JSON.
type reach struct {
	*models
	seen map[types.Name]*types.Type
}

// reachable are the structs that types are made of, themselves among them, in the order of their names.
func (m *models) reachable(roots []*types.Type) ([]*types.Type, error) {
	r := &reach{models: m, seen: map[types.Name]*types.Type{}}
	for _, t := range roots {
		if err := r.walk(t); err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(r.seen), func(a, b *types.Type) int {
		return cmp.Compare(a.Name.String(), b.Name.String())
	}), nil
}

func (r *reach) walk(t *types.Type) error {
	t = structBehind(t)
	if t == nil || r.seen[t.Name] != nil {
		return nil
	}
	r.seen[t.Name] = t
	if definesItself(t) {
		return nil
	}
	for _, m := range t.Members {
		tag, tagged := reflect.StructTag(m.Tags).Lookup("json")
		name, _, _ := strings.Cut(tag, ",")
		if name == "-" || slices.Contains(gengo.ExtractCommentTags("+", m.CommentLines)["k8s:openapi-gen"], "false") { //nolint:staticcheck // as openapi-gen reads it
			continue
		}
		if err := endlessError(circle(m.Type, elements)); err != nil {
			return err
		}
		inlined := m.Embedded && tagged && name == ""
		if s := structBehind(m.Type); s != nil && !inlined {
			if why := nameless(s); why != "" {
				return fmt.Errorf("%s%s.%s: %s", r.place(t.Name, m.Name), t.Name.Name, m.Name, why)
			}
		}
		if err := r.walk(m.Type); err != nil {
			return err
		}
	}
	return nil
}

// structBehind is the struct that a type is, or that its elements are; nil if there is none, or if it's one that OpenAPI has a
// word for.
func structBehind(t *types.Type) *types.Type {
	for t != nil {
		switch t.Kind {
		case types.Pointer, types.Slice, types.Array, types.Map:
			t = t.Elem
		case types.Alias:
			t = t.Underlying
		case types.Struct:
			if simple, _ := common.OpenAPITypeFormat(t.String()); simple != "" {
				return nil
			}
			return t
		default:
			return nil
		}
	}
	return nil
}

// definesItself reports whether a type says by methods what its schema is.
func definesItself(t *types.Type) bool {
	for _, name := range []string{"OpenAPISchemaType", "OpenAPIDefinition", "OpenAPIV3Definition"} {
		if _, ok := t.Methods[name]; ok {
			return true
		}
	}
	return false
}

// private reports whether openapi-gen skips a type.
func private(t *types.Type) bool { return namer.IsPrivateGoName(t.Name.Name) }

// nameless says why there can be no reference to a struct.
func nameless(t *types.Type) string {
	switch {
	case strings.HasPrefix(t.Name.Name, "struct{"):
		return "a struct without a name has no schema; give the field's type a name"
	case strings.Contains(t.Name.Name, "["):
		return "a generic type has no schema; give the field a type without parameters"
	case private(t):
		return "the type " + t.Name.Name + " is not exported, and has no schema; give it an upper-case name"
	}
	return ""
}
