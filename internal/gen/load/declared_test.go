// SPDX-License-Identifier: Apache-2.0

package load_test

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/crdctl/crdctl/internal/gen/load"
)

// Of a package there are the types and constants, with the types of its imports; functions, variables and what these import are not read.
func TestDeclared(t *testing.T) {
	dir, err := filepath.Abs("testdata/declared")
	require.NoError(t, err)
	env, err := load.NewEnv(t.Context(), dir)
	require.NoError(t, err)
	const src = `package declared

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"example.com/missing"
)

// Wait is a type of its own.
type Wait = metav1.Duration

const Size = 2

var first = missing.New()

// Two has a comment.
type Two struct {
	// For is how long.
	For [Size]Wait
}

func (t Two) Missing() missing.Type { return missing.Type{} }
`
	const path = "github.com/crdctl/crdctl/internal/gen/load/testdata/declared"
	pkgs, err := load.Declared(t.Context(), env, []string{path}, map[string]map[string][]byte{dir: {"a.go": []byte(src), "a_test.go": []byte("package other")}})
	require.NoError(t, err)
	require.Len(t, pkgs, 1)
	require.Len(t, pkgs[0].Syntax, 1)
	ast.Inspect(pkgs[0].Syntax[0], func(n ast.Node) bool {
		assert.IsNotType(t, &ast.FuncDecl{}, n)
		if f, ok := n.(*ast.Field); ok {
			assert.Equal(t, "For is how long.\n", f.Doc.Text())
			array := pkgs[0].TypesInfo.TypeOf(f.Type).(*types.Array)
			assert.EqualValues(t, 2, array.Len())
			assert.Equal(t, "k8s.io/apimachinery/pkg/apis/meta/v1.Duration", types.Unalias(array.Elem()).String())
		}
		return true
	})
	assert.NotNil(t, pkgs[0].Types.Scope().Lookup("Two"))
	assert.Nil(t, pkgs[0].Types.Scope().Lookup("first"))
}

// Of a package that is loaded whole there are the types of what its functions call, also of imports whose bodies are not read; an import
// that is missing is an error. Type errors are kept, and a field that is not exported is none, whichever finder there is.
func TestWhole(t *testing.T) {
	dir, err := filepath.Abs("testdata/whole")
	require.NoError(t, err)
	env, err := load.NewEnv(t.Context(), dir)
	require.NoError(t, err)
	const path = "github.com/crdctl/crdctl/internal/gen/load/testdata/whole"
	pkgs, err := load.Whole(t.Context(), env, []string{path})
	require.NoError(t, err)
	require.Len(t, pkgs, 1)
	called := map[string]string{}
	for _, file := range pkgs[0].Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && pkgs[0].TypesInfo.Uses[s.Sel] != nil {
				called[s.Sel.Name] = pkgs[0].TypesInfo.TypeOf(s).String()
			}
			return true
		})
	}
	assert.Equal(t, map[string]string{
		"Duration": "time.Duration",
		"Wait":     "*k8s.io/apimachinery/pkg/apis/meta/v1.Duration",
		"Round":    "func(m time.Duration) time.Duration",
		"String":   "func() string",
		"Second":   "time.Duration",
		"name":     "string",
	}, called)
	for _, find := range []load.Finder{env, load.NewListed(dir)} {
		pkgs, err := load.Whole(t.Context(), find, []string{path})
		require.NoError(t, err)
		require.Len(t, pkgs[0].TypeErrors, 1)
		assert.Contains(t, pkgs[0].TypeErrors[0].Msg, "cannot use \"a type error\"")
	}
	_, err = load.Whole(t.Context(), env, []string{path + "/missing"})
	assert.Error(t, err)
}

// What the go command refuses is in its words, without the exit code.
func TestListedRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/future\n\ngo 9.99\n"), 0o600))
	t.Setenv("GOTOOLCHAIN", "local")
	err := load.NewListed(dir).Want(t.Context(), []string{"example.com/future"})
	require.ErrorContains(t, err, "requires go >= 9.99")
	assert.NotContains(t, err.Error(), "exit status")
}
