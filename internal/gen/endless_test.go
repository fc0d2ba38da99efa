// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/codegen"
	"github.com/crdctl/crdctl/internal/gen/gentest"
	"github.com/crdctl/crdctl/internal/tree"
)

// oneKind is a project of one kind, whose field A has the type FIELD.
const oneKind = `
-- crdctl.yaml --
apiVersion: crdctl.dev/v1alpha1
kind: Project
apis: [pkg/apis]
openapi: {dir: pkg/openapi}
clients: [{dir: pkg/client, applyConfiguration: true SCHEMA}]
-- pkg/apis/wood/v1/doc.go --
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=true
// +groupName=wood.example.com

package v1
-- pkg/apis/wood/v1/register.go --
package v1

import "k8s.io/apimachinery/pkg/runtime/schema"

var SchemeGroupVersion = schema.GroupVersion{Group: "wood.example.com", Version: "v1"}
-- pkg/apis/wood/v1/types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient

type Oak struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	A FIELD ` + "`json:\"a\"`" + `
}
-- pkg/apis/wood/v1/more.go --
package v1

MORE
`

func oneKindProject(t *testing.T, replace ...string) string {
	t.Helper()
	return gentest.Fixture{Files: func(t *testing.T) *tree.Tree {
		t.Helper()
		project := tree.New()
		for path, data := range gentest.ModuleFiles(t) {
			gentest.Add(t, project, path, data)
		}
		for _, f := range txtar.Parse([]byte(strings.NewReplacer(replace...).Replace(oneKind))).Files {
			gentest.Add(t, project, f.Name, f.Data)
		}
		return project
	}}.Lay(t)
}

// What a generator would follow forever is refused where it is declared, before the generator gets it: a stack that overflows
// ends the process. What it follows to an end is not.
func TestEndlessTypes(t *testing.T) {
	const copying, schema, applying = "deepcopy-gen", "openapi-gen", "applyconfiguration-gen"
	for _, test := range []struct {
		name, more, field string
		at                string   // in more.go; "" if nothing is refused
		by                []string // the generators that refuse
	}{
		{"slice", "type S []S", "S", "3:6: S ", []string{copying, schema}},
		{"map of pointers", "type S map[string]*S", "S", "3:6: S ", []string{copying, schema}},
		{"two types", "type B []A\n\ntype A []B", "map[string]B", "5:6: A ", []string{copying, schema}},
		{"pointer", "type P *P", "[]P", "3:6: P ", []string{copying, schema, applying}},
		{"generic", "type G[T any] []G[T]", "G[string]", "3:6: G ", []string{copying, schema}},
		{"embedded", "type T struct {\n\t*T `json:\",inline\"`\n}", "T", "3:6: T ", []string{schema}},
		{"copied by hand", "type S []S\n\nfunc (in S) DeepCopyInto(out *S) { *out = in }\n\nfunc (in S) DeepCopy() S { return in }", "S", "3:6: S ", []string{schema}},
		{"not copied", "// +k8s:deepcopy-gen=false\ntype S []S", "string", "", nil},
		{"not used", "type S []S", "string", "3:6: S ", []string{copying}}, // the package asks for copies of all its types
		{"not used or exported", "type s []s\n\ntype P *P", "string", "", nil},
		{
			"structs", "type T struct {\n\tA []T `json:\"a\"`\n\tB map[string]L `json:\"b\"`\n\tC *T `json:\"c\"`\n}\n\ntype L []M\n\ntype M map[string]*T",
			"T", "", nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := oneKindProject(t, "MORE", test.more, "FIELD", test.field, "SCHEMA", "")
			_, err := Generate(t.Context(), root, gentest.Settings(t, root), Options{Year: 2026, Only: []string{"deepcopy", "openapi", "applyconfiguration"}})
			if test.at == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "\n  pkg/apis/wood/v1/more.go:"+test.at, test.at)
			for _, generator := range []string{copying, schema, applying} {
				assert.Equal(t, slices.Contains(test.by, generator), strings.Contains(err.Error(), generator), "%v, want it to name %s", err, test.by)
			}
		})
	}
}

// A schema of the apply configurations is made of the types by crdctl, and refuses what openapi-gen does.
func TestEndlessSchema(t *testing.T) {
	root := oneKindProject(t, "MORE", "type S []S", "FIELD", "S", "SCHEMA", ", applyConfigurationOpenAPISchema: build")
	_, err := Generate(t.Context(), root, gentest.Settings(t, root), Options{Year: 2026, Only: []string{"applyconfiguration"}})
	assert.ErrorContains(t, err, "\n  pkg/apis/wood/v1/more.go:3:6: S ")
}

// A generator's failure is explained without loading the packages with the go command, which takes ten times as long: if
// the loaded types show the reason, and if more of them do not change it.
func TestFailuresAreExplainedQuickly(t *testing.T) {
	for _, test := range []struct{ name, more, field, group, want string }{
		{"type", "", "chan int", "wood.example.com", "pkg/apis/wood/v1/types.go:11:2: "},
		{"group", "", "string", "Not A Group!", "client-gen generated code that is not Go"},
		{"syntax", "func {", "string", "wood.example.com", "pkg/apis/wood/v1/more.go:3:6: expected 'IDENT', found '{'"},
		{"letter", "// +genclient\ntype Äx struct{}", "string", "wood.example.com", "pkg/apis/wood/v1/more.go:4:6: Äx "},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := oneKindProject(t, "MORE", test.more, "FIELD", test.field, "SCHEMA", "", "+groupName=wood.example.com", "+groupName="+test.group)
			g, err := newGeneration(t.Context(), root, gentest.Settings(t, root), Options{Year: 2026, Only: []string{"deepcopy", "client", "crd"}})
			require.NoError(t, err)
			t.Setenv("PATH", t.TempDir())
			_, err = g.make(t.Context())
			assert.ErrorContains(t, err, test.want)
			assert.NotNil(t, g.env, "the go command loaded the packages")
		})
	}
}

// Generators that run in another process are looked at before: they would end as badly there.
func TestEndlessElsewhere(t *testing.T) {
	root := oneKindProject(t, "MORE", "type P *P\n\ntype S map[string]S\n\ntype Alone *Alone", "FIELD", "[]P", "SCHEMA", "")
	g, err := newGeneration(t.Context(), root, gentest.Settings(t, root), Options{Year: 2026})
	require.NoError(t, err)
	graph, err := g.load(t.Context(), g.plan.Load)
	require.NoError(t, err)
	const pkg = "example.com/fixture/pkg/apis/wood/v1"
	inputs := []string{pkg}
	for _, test := range []struct {
		generator codegen.Generator
		want      string
	}{
		{codegen.Generator{Name: "deepcopy-gen", Inputs: inputs, Flags: []string{"--output-file", "out.go"}}, "P"},
		{codegen.Generator{Name: "validation-gen", Inputs: inputs}, "P"},
		{codegen.Generator{Name: "defaulter-gen", Inputs: inputs}, ""},
		{codegen.Generator{Name: "deepcopy-gen", Inputs: inputs, Flags: []string{"--not-in-this-version"}}, ""},
	} {
		errs := codegen.New(graph).Endless([]codegen.Generator{test.generator})
		if e := (*codegen.EndlessError)(nil); test.want == "" && errs != nil || test.want != "" && (!errors.As(errors.Join(errs...), &e) || e.Package != pkg || e.Name != test.want) {
			t.Errorf("%s: %v, want an error of %q", test.generator.Name, errs, test.want)
		}
	}
}
