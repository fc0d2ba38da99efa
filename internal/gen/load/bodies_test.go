package load

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBlankBodies(t *testing.T) {
	const head = "package p\n\n"
	for name, c := range map[string]struct{ src, want string }{
		"function":        {"func f() {\n\tx()\n}\n", "func f() {\n    \n}\n"},
		"method":          {"func (T) f() int {\n\treturn 1\n}\n\ntype T int\n", "func (T) f() int {\n         \n}\n\ntype T int\n"},
		"on one line":     {"func f() { x() }\n", ""},
		"not as gofmt":    {"func f()  {\n\tx()\n  }\n", ""},
		"struct result":   {"func f() struct {\n\tA int\n} {\n\tx()\n}\n", ""},
		"interface":       {"func f(i interface {\n\tM()\n}) {\n\tx()\n}\n", ""},
		"marker":          {"func f() {\n\t// +x\n\tx()\n}\n", ""},
		"comment at end":  {"func f() {\n\tx()\n\t// y\n}\ntype T int\n", ""},
		"string":          {"func f() {\n\tx(`\n}\n`)\n}\n", ""},
		"within a string": {"const c = `\nfunc f() {\n\tx()\n}\n`\n", ""},
		"string after":    {"const c = `\nfunc f() {\n`\n\nfunc g() {\n\tx()\n}\n", "const c = `\nfunc f() {\n`\n\nfunc g() {\n    \n}\n"},
		"comment":         {"/*\nfunc f() {\n\tx()\n}\n*/\ntype T int\n", ""},
		"without an end":  {"func f() {\n\tx()", ""},
		"end of the file": {"func f() {\n\tx()\n}", "func f() {\n    \n}"},

		"comment after brace":       {"func f() {\n\tx()\n} // y\n\ntype T int\n\nfunc g() {\n\tx()\n}\n", "func f() {\n\tx()\n} // y\n\ntype T int\n\nfunc g() {\n    \n}\n"},
		"assembly":                  {"func f() // as in {\n\ntype T struct {\n\tA int\n}\n", ""},
		"comment begins in head":    {"func f() /* {\n\tx()\n}\n*/\n", ""},
		"comment begins after code": {"var x int /* y\nfunc f() {\n\tx()\n}\n*/\n", ""},
		"two on a line":             {"func f() {}; var m = map[string]int {\n\t\"a\": 1,\n}\n", ""},
		"quote in a comment":        {"// a ` here\n\nfunc f() {\n\tx()\n}\n", "// a ` here\n\nfunc f() {\n    \n}\n"},
		"string after such a quote": {"// a ` here\nconst c = `\nfunc f() {\n\tx()\n}\n`\n", ""},
		"string after a string":     {"const a = \"\\\"`\"\n\nconst c = `\nfunc f() {\n\tx()\n}\n`\n", ""},
		"string after a rune":       {"const a, b = '\\'', '`'\n\nconst c = `\nfunc f() {\n\tx()\n}\n`\n", ""},
		"string in a body":          {"func f() {\n\t// ` y\n\tx(`\n}\ntype T struct { // `)\n}\n", ""},
		"comment in a body":         {"func f() {\n\t/*\n}\ntype T struct {\n\t// */\n}\n", ""},
	} {
		if c.want == "" {
			c.want = c.src
		}
		assert.Equal(t, head+c.want, string(blankBodies([]byte(head+c.src))), name)
	}
}

// TestBlankBodiesOfGo holds what is left of files of Go itself, and of Kubernetes, to what is left of them with their bodies.
func TestBlankBodiesOfGo(t *testing.T) {
	env, err := NewEnv(t.Context(), repository)
	require.NoError(t, err)
	files, blanked := 0, 0
	for _, path := range []string{"encoding", "go", "net", "reflect", "time", "k8s.io/api/core/v1", "k8s.io/apimachinery/pkg/runtime"} {
		dir := filepath.Join(env.Vars["GOROOT"], "src", path)
		if strings.Contains(path, ".") {
			dir, _, _, err = env.find(path, false)
			require.NoError(t, err)
		}
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.Contains(file, "testdata") {
				return err
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			out := blankBodies(src)
			files++
			if !bytes.Equal(out, src) {
				blanked++
			}
			assert.Equal(t, withoutBodies(t, src), withoutBodies(t, out), "%s: other declarations are left", file)
			return nil
		})
		require.NoError(t, err)
	}
	assert.GreaterOrEqual(t, files, 500, "bodies were blanked in: %s")
	assert.GreaterOrEqual(t, blanked, files/2, "bodies were blanked in: %s")
}

// withoutBodies is a file without function bodies and comments in them, and where each declaration stands.
func withoutBodies(t *testing.T, src []byte) string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "" // a body that ended too early; then the loader parses the file as it is
	}
	var b strings.Builder
	outside := f.Comments
	for _, decl := range f.Decls {
		b.WriteString(fset.Position(decl.Pos()).String() + "-" + fset.Position(decl.End()).String() + "\n")
		if d, ok := decl.(*ast.FuncDecl); ok && d.Body != nil {
			var kept []*ast.CommentGroup
			for _, c := range outside {
				if c.Pos() < d.Body.Pos() || d.Body.End() <= c.Pos() {
					kept = append(kept, c)
				}
			}
			outside, d.Body = kept, nil
		}
	}
	f.Comments = outside
	require.NoError(t, printer.Fprint(&b, fset, f))
	return b.String()
}
