// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"

	"k8s.io/gengo/v2/types"
	"k8s.io/kube-openapi/pkg/common"
	openapi "k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdctl/crdctl/internal/gen/openapischema"
)

// definitions reads the code that openapi-gen wrote, and what methods of the types add to it.
func (m *models) definitions(code []byte) (spec.Definitions, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", code, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("openapi-gen wrote invalid Go: %w", err)
	}
	values, err := m.definitionsIn(f)
	if err != nil {
		return nil, err
	}
	file := &openapischema.File{Package: schemaPackage, Imports: openapischema.Imports(f, m.packageName), Packages: m.packages(map[string]bool{})}
	all := spec.Definitions{}
	for _, t := range m.all {
		if values[t] == nil {
			continue // not exported: its fields are in the schemas of those that embed it
		}
		v, err := file.Eval(values[t], reflect.TypeFor[common.OpenAPIDefinition]())
		if err != nil {
			return nil, m.unreadable(t, err)
		}
		all[m.outward(t)] = inVersion2(v.Interface().(common.OpenAPIDefinition).Schema)
	}
	// applyconfiguration-gen looks for kinds under the names that Go gives them, whatever name they give themselves. Where a program reverses
	// these it finds none, and leaves them untyped.
	for _, t := range m.kinds {
		if m.renamed[m.definition[t.Name]] == "" {
			all[openapi.ToRESTFriendlyName(t.Name.String())] = all[m.outward(t)]
		}
	}
	return all, nil
}

// outward is what the document calls the definition of a type.
func (m *models) outward(t *types.Type) string {
	definition := m.definition[t.Name]
	return cmp.Or(m.renamed[definition], definition)
}

// definitionsIn are the expressions of the definitions. The code is a function that returns a map, in which most values
// are calls of a function for each type, in the same order; two types may go by one name there.
func (m *models) definitionsIn(f *ast.File) (map[*types.Type]ast.Expr, error) {
	functions := map[string][]ast.Expr{}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			e, ok := openapischema.Returned(fn)
			if !ok {
				return nil, fmt.Errorf("openapi-gen wrote more than a literal in %s", fn.Name.Name)
			}
			functions[fn.Name.Name] = append(functions[fn.Name.Name], e)
		}
	}
	var list *ast.CompositeLit
	if all := functions["GetOpenAPIDefinitions"]; len(all) == 1 {
		list, _ = all[0].(*ast.CompositeLit)
	}
	exported := slices.DeleteFunc(slices.Clone(m.all), private) // as openapi-gen does
	if list == nil || len(list.Elts) != len(exported) {
		return nil, errors.New("openapi-gen wrote no list of the definitions, or another one than of the types")
	}
	values := map[*types.Type]ast.Expr{}
	for i, t := range exported {
		kv, ok := list.Elts[i].(*ast.KeyValueExpr)
		if !ok {
			return nil, fmt.Errorf("openapi-gen wrote no name for %s", t.Name)
		}
		values[t] = kv.Value
		if call, ok := kv.Value.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && len(functions[id.Name]) > 0 {
				values[t] = functions[id.Name][0]
				functions[id.Name] = functions[id.Name][1:]
			}
		}
	}
	return values, nil
}

// inVersion2 is the schema of a type, which may have one for each version of OpenAPI.
func inVersion2(s spec.Schema) spec.Schema {
	if v2, ok := s.Extensions[common.ExtensionV2Schema].(spec.Schema); ok {
		return v2
	}
	return s
}
