// SPDX-License-Identifier: Apache-2.0

package codegen

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"reflect"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdctl/crdctl/internal/gen/openapischema"
)

// modelNameMethod is the method by which a type names its model. openapi-gen writes it, from a tag.
const modelNameMethod = "OpenAPIModelName"

// packages is what names mean in code that makes schemas. Entered are the methods that are being read.
func (m *models) packages(entered map[string]bool) *openapischema.Packages {
	const commonPath, specPath = "k8s.io/kube-openapi/pkg/common.", "k8s.io/kube-openapi/pkg/validation/spec."
	known := map[string]reflect.Type{commonPath + "OpenAPIDefinition": reflect.TypeFor[common.OpenAPIDefinition]()}
	for _, t := range []reflect.Type{
		reflect.TypeFor[spec.Schema](), reflect.TypeFor[spec.SchemaProps](), reflect.TypeFor[spec.SwaggerSchemaProps](),
		reflect.TypeFor[spec.VendorExtensible](), reflect.TypeFor[spec.Extensions](), reflect.TypeFor[spec.SchemaOrBool](),
		reflect.TypeFor[spec.SchemaOrArray](), reflect.TypeFor[spec.StringOrArray](),
	} {
		known[specPath+t.Name()] = t
	}
	return &openapischema.Packages{
		Types: known,
		Funcs: map[string]any{
			"ref":                      m.ref,
			"k8s.io/utils/ptr.To":      openapischema.PointerTo{},
			specPath + "MustCreateRef": spec.MustCreateRef,
			commonPath + "EmbedOpenAPIDefinitionIntoV2Extension": common.EmbedOpenAPIDefinitionIntoV2Extension,
			commonPath + "GenerateOpenAPIV3OneOfSchema":          common.GenerateOpenAPIV3OneOfSchema,
		},
		Const: func(pkg, name string) (constant.Value, bool) {
			c, ok := m.object(pkg, name).(*gotypes.Const)
			if !ok {
				return nil, false
			}
			return c.Val(), true
		},
		Method: func(pkg, typ, name string, want reflect.Type) (reflect.Value, error) {
			return m.method(pkg, typ, name, want, entered)
		},
	}
}

// ref refers to the definition of what openapi-gen calls by a name.
func (m *models) ref(name string) spec.Ref {
	definition, ok := m.written[name]
	if !ok {
		panic("there is no schema of " + name)
	}
	return spec.MustCreateRef("#/definitions/" + cmp.Or(m.renamed[definition], definition))
}

// method reads what a method of a loaded type returns: its body was dropped when the packages were loaded.
func (m *models) method(pkg, typ, name string, want reflect.Type, entered map[string]bool) (reflect.Value, error) {
	id := pkg + "." + typ + "." + name
	if entered[id] {
		return reflect.Value{}, fmt.Errorf("%s calls itself", id)
	}
	entered[id] = true
	defer delete(entered, id)
	obj := m.object(pkg, typ)
	if obj == nil {
		return reflect.Value{}, fmt.Errorf("%s.%s is not a type that is loaded", pkg, typ)
	}
	found, _, _ := gotypes.LookupFieldOrMethod(obj.Type(), true, obj.Pkg(), name)
	if fn, ok := found.(*gotypes.Func); ok {
		return m.returned(fn, want, entered)
	}
	// It is in a generated file, which the generators leave out.
	for t, model := range m.definition {
		if name == modelNameMethod && t.Package == pkg && t.Name == typ && want.Kind() == reflect.String {
			return reflect.ValueOf(model).Convert(want), nil
		}
	}
	return reflect.Value{}, fmt.Errorf("%s has no method %s", typ, name)
}

// returned reads a function's own file for what it returns.
func (m *models) returned(fn *gotypes.Func, want reflect.Type, entered map[string]bool) (reflect.Value, error) {
	at := m.graph.Fset.Position(fn.Pos())
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, at.Filename, nil, parser.SkipObjectResolution)
	if err != nil {
		return reflect.Value{}, err
	}
	for _, decl := range f.Decls {
		decl, ok := decl.(*ast.FuncDecl)
		if !ok || decl.Name.Name != fn.Name() || fset.Position(decl.Name.Pos()).Line != at.Line {
			continue
		}
		e, ok := openapischema.Returned(decl)
		if !ok {
			return reflect.Value{}, &openapischema.Error{Position: at, Message: fn.Name() + " does more than return a literal"}
		}
		file := &openapischema.File{Fset: fset, Package: fn.Pkg().Path(), Imports: openapischema.Imports(f, m.packageName), Packages: m.packages(entered)}
		return file.Eval(e, want)
	}
	return reflect.Value{}, &openapischema.Error{Position: at, Message: fn.Name() + " is no longer there"}
}
