// SPDX-License-Identifier: Apache-2.0

package host

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBodiless(t *testing.T) {
	for src, want := range map[string]string{
		"func f() { return }\nvar x = 1":                                          "func f() {        }\nvar x = 1",
		"func f() struct{ a int } { return }":                                     "func f() struct{ a int } {        }",
		"func (t T[K]) f(g func() interface{}) (a, b int) {\n\tx := '{'\n}":       "func (t T[K]) f(g func() interface{}) (a, b int) {\n         \n}",
		"func f() {\n\t_ = \"}\" + `\n}\n` // }\n}\n\ntype T struct{}":            "func f() {\n            \n \n      \n}\n\ntype T struct{}",
		"func f() /* { */ {\n\t/* } */\n\t_ = '\\''\n}":                           "func f() /* { */ {\n        \n         \n}",
		"func asm(x int) int\n\nfunc f() { x }":                                   "func asm(x int) int\n\nfunc f() {   }",
		"func f() {\n\t// +kubebuilder:rbac:groups=a\n}\n":                        "func f() {\n\t// +kubebuilder:rbac:groups=a\n}\n",
		"func f() {\n\t/*\n\t * +marker\n\t */\n}\n":                              "func f() {\n\t/*\n\t * +marker\n\t */\n}\n",
		"// func f() { x }\n/*\nfunc f() { x }\n*/\nconst c = `\nfunc g() { x }`": "// func f() { x }\n/*\nfunc f() { x }\n*/\nconst c = `\nfunc g() { x }`",
		"func f() {":                       "func f() {",
		"func f() { \"":                    "func f() { \"",
		"func f(":                          "func f(",
		"var f = func() { x }":             "var f = func() { x }",
		"func f[T interface{ A }]() { x }": "func f[T interface{ A }]() {   }",
	} {
		assert.Equal(t, want, string(bodiless([]byte(src))))
	}
}

// TestBodilessGo holds that nothing but the bodies changes, in files of Go's own packages and of Kubernetes.
func TestBodilessGo(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "go/types", "time", "text/template", "encoding/json", "math/big", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/util/...").Output()
	require.NoError(t, err)
	files, blanked := 0, 0
	for _, dir := range strings.Fields(string(out)) {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, name := range names {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			short := bodiless(src)
			want, got := placed(t, name, src), placed(t, name, short)
			assert.Equal(t, want, got, name)
			files++
			blanked += strings.Count(string(short), " ") - strings.Count(string(src), " ")
		}
	}
	assert.Greater(t, files, 100)
	assert.Greater(t, blanked, 100_000)
}

// placed is each declaration with its place, up to the body, and each comment outside of bodies.
func placed(t *testing.T, name string, src []byte) (all []string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	base := fset.File(f.Pos()).Base()
	type span struct{ from, to token.Pos }
	var bodies []span
	for _, d := range f.Decls {
		end := d.End()
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			bodies = append(bodies, span{fn.Body.Lbrace, fn.Body.Rbrace})
			all = append(all, fset.Position(end).String())
			end = fn.Body.Lbrace
		}
		all = append(all, fset.Position(d.Pos()).String()+string(src[int(d.Pos())-base:int(end)-base]))
	}
	for _, group := range f.Comments {
		inside := false
		for _, b := range bodies {
			inside = inside || b.from < group.Pos() && group.End() <= b.to
		}
		if !inside {
			all = append(all, fset.Position(group.Pos()).String()+group.Text())
		}
	}
	return all
}
