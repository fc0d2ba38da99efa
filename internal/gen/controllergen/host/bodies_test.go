// SPDX-License-Identifier: Apache-2.0

package host

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

func TestBodiless(t *testing.T) {
	for src, want := range map[string]string{
		"func f() { return }\nvar x = 1":                                          "                   \nvar x = 1",
		"func f() struct{ a int } { return }":                                     "                                   ",
		"func (t T[K]) f(g func() interface{}) (a, b int) {\n\tx := '{'\n}":       "                                                  \n         \n ",
		"func f() {\n\t_ = \"}\" + `\n}\n` // }\n}\n\ntype T struct{}":            "          \n            \n \n      \n \n\ntype T struct{}",
		"func f() /* { */ {\n\t/* } */\n\t_ = '\\''\n}":                           "                  \n        \n         \n ",
		"func asm(x int) int\n\nfunc f() { x }":                                   "func asm(x int) int\n\n              ",
		"func f() {\n\t// +kubebuilder:rbac:groups=a\n}\n":                        "func f() {\n\t// +kubebuilder:rbac:groups=a\n}\n",
		"func f() {\n\t/*\n\t * +marker\n\t */\n}\n":                              "func f() {\n\t/*\n\t * +marker\n\t */\n}\n",
		"func f(a int, // +marker\n) {}\n":                                        "func f(a int, // +marker\n) {}\n",
		"// func f() { x }\n/*\nfunc f() { x }\n*/\nconst c = `\nfunc g() { x }`": "// func f() { x }\n/*\nfunc f() { x }\n*/\nconst c = `\nfunc g() { x }`",
		"func f() {":                       "func f() {",
		"func f() { \"":                    "func f() { \"",
		"func f(":                          "func f(",
		"var f = func() { x }":             "var f = func() { x }",
		"func f[T interface{ A }]() { x }": "                                ",
		// What a marker is above, or on the line of, keeps its place among the declarations.
		"// +marker\nfunc f() { x }":                            "// +marker\nfunc f() {   }",
		"// +marker\n\n// f is a function.\nfunc f() { x }":     "// +marker\n\n// f is a function.\nfunc f() {   }",
		"// +marker\n\ntype T struct{}\n\nfunc f() { x }":       "// +marker\n\ntype T struct{}\n\n              ",
		"type T int // +marker\nfunc f() { x }\nfunc g() { x }": "type T int // +marker\nfunc f() {   }\n              ",
		"func f() { x } // +marker":                             "func f() {   } // +marker",
		"func f() { x }; type T int":                            "func f() {   }; type T int",
		// Generators look for these.
		"func (t *T) DeepCopy() *T { x }":                                        "func (t *T) DeepCopy() *T {   }",
		"func (in *T[K]) DeepCopyInto(out T) { x }":                              "func (in *T[K]) DeepCopyInto(out T) {   }",
		"func (T) MarshalJSON() { x }":                                           "func (T) MarshalJSON() {   }",
		"func (t T) MarshalText() { x }":                                         "func (t T) MarshalText() {   }",
		"func (t T) MarshalTo() { x }":                                           "                            ",
		"func MarshalJSON() { x }":                                               "                        ",
		"import \"unsafe\"\nfunc f() [2]int { x }\nconst c = unsafe.Sizeof(f())": "import \"unsafe\"\nfunc f() [2]int {   }\nconst c = unsafe.Sizeof(f())",
	} {
		assert.Equal(t, want, string(bodiless([]byte(src))))
	}
}

// TestBodilessGo holds that nothing changes but functions that no generator asks for, in files of Go's own packages and of Kubernetes: the
// other declarations keep their places, and each type and field has the markers that controller-tools found before.
func TestBodilessGo(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "go/types", "time", "text/template", "encoding/json", "math/big",
		"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/util/...", "k8s.io/api/core/v1", "k8s.io/api/batch/v1", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1").Output()
	require.NoError(t, err)
	files, blanked := 0, 0
	for _, dir := range strings.Fields(string(out)) {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		fset := token.NewFileSet()
		var before, after []*ast.File
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			short := bodiless(src)
			f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			g, err := parser.ParseFile(fset, name, short, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			before, after = append(before, f), append(after, g)
			compareFiles(t, fset, src, f, g)
			files++
			blanked += strings.Count(string(short), " ") - strings.Count(string(src), " ")
		}
		assert.Equal(t, marked(t, fset, before), marked(t, fset, after), dir)
	}
	assert.Greater(t, files, 100)
	assert.Greater(t, blanked, 1_000_000)
}

// compareFiles compares a file with the same one without functions.
func compareFiles(t *testing.T, fset *token.FileSet, src []byte, before, after *ast.File) {
	t.Helper()
	base := fset.File(before.Pos()).Base()
	place := func(n ast.Node) string { return fset.Position(n.Pos()).String() }
	left := map[string]ast.Decl{}
	for _, d := range after.Decls {
		left[place(d)] = d
	}
	for _, d := range before.Decls {
		f, isFunc := d.(*ast.FuncDecl)
		same := left[place(d)]
		if !isFunc {
			require.NotNil(t, same, place(d))
			assert.Equal(t, fset.Position(d.End()), fset.Position(same.End()))
			continue
		}
		text := string(src[int(f.Pos())-base : int(f.End())-base])
		needed := strings.Contains(text, "// +") || f.Recv != nil && slices.Contains([]string{"DeepCopy", "DeepCopyInto", "MarshalJSON", "MarshalText"}, f.Name.Name)
		assert.False(t, needed && same == nil, "%s: %s is missing", place(d), f.Name.Name)
	}
	outside := func(f *ast.File) (all []string) {
		for _, group := range f.Comments {
			in := func(d ast.Decl) bool {
				_, isFunc := d.(*ast.FuncDecl)
				return isFunc && fset.Position(d.Pos()).Offset < fset.Position(group.Pos()).Offset && fset.Position(group.End()).Offset <= fset.Position(d.End()).Offset
			}
			if !slices.ContainsFunc(before.Decls, in) {
				all = append(all, place(group)+group.Text())
			}
		}
		return all
	}
	assert.Equal(t, outside(before), outside(after))
}

// marked is what controller-tools' own collector finds in a package, by place.
func marked(t *testing.T, fset *token.FileSet, files []*ast.File) map[string]markers.MarkerValues {
	t.Helper()
	registry := &markers.Registry{}
	require.NoError(t, crd.Generator{}.RegisterMarkers(registry))
	require.NoError(t, deepcopy.Generator{}.RegisterMarkers(registry))
	collector := &markers.Collector{Registry: registry}
	byNode, err := collector.MarkersInPackage(Wrap(fset, []*packages.Package{{Syntax: files}})[0])
	require.NoError(t, err)
	all := map[string]markers.MarkerValues{}
	for node, values := range byNode {
		if len(values) > 0 {
			all[fset.Position(node.Pos()).String()] = values
		}
	}
	return all
}
