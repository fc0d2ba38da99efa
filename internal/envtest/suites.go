// SPDX-License-Identifier: Apache-2.0

package envtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"strings"

	"github.com/crdctl/crdctl/internal/workspace"
)

const (
	module     = "sigs.k8s.io/controller-runtime"
	importPath = module + "/pkg/envtest"
)

// Suites is what the Go files of a project say about its tests.
type Suites struct {
	// Files import envtest.
	Files []string
	// Possible reports whether a module below the root requires controller-runtime: its tests may start an API server by a package of
	// another module. Without that, they start none.
	Possible bool
	// Downloads are the places, as file:line, at which the download of programs is turned on. Such a suite does not look at what the
	// environment names, so it is not served by this program.
	Downloads []string
	// Existing are the places at which a suite is told to use a cluster that exists: it starts none.
	Existing []string
}

// Inspect reads the Go files below root; names are seen from there.
func Inspect(root string) (Suites, error) {
	var found Suites
	files := os.DirFS(root)
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != "." && (workspace.Foreign(name) || strings.HasPrefix(name, "_") || name == "testdata" || name == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || name != "go.mod" && !strings.HasSuffix(name, ".go") {
			return nil
		}
		content, err := fs.ReadFile(files, path)
		if err == nil && name == "go.mod" {
			found.Possible = found.Possible || bytes.Contains(content, []byte(module+" v"))
			return nil
		}
		if err != nil || !bytes.Contains(content, []byte(`"`+importPath+`"`)) {
			return err
		}
		found.Files = append(found.Files, path)
		file := newTestFile(path, content)
		found.Downloads = append(found.Downloads, file.turnedOn("DownloadBinaryAssets")...)
		found.Existing = append(found.Existing, file.turnedOn("UseExistingCluster")...)
		return nil
	})
	return found, err
}

// testFile is a parsed file, as far as it could be parsed.
type testFile struct {
	name  string
	files *token.FileSet
	*ast.File
	// on are the variables that it sets to true.
	on map[string]bool
}

func newTestFile(name string, content []byte) *testFile {
	f := &testFile{name: name, files: token.NewFileSet(), on: map[string]bool{}}
	f.File, _ = parser.ParseFile(f.files, name, content, parser.SkipObjectResolution)
	f.values(func(left, value ast.Expr) {
		if id, ok := left.(*ast.Ident); ok && f.isTrue(value) {
			f.on[id.Name] = true
		}
	})
	return f
}

// values calls a function for each value that a variable or a field gets, but for those that it gets in some cases only.
func (f *testFile) values(do func(left, value ast.Expr)) {
	if f.File == nil {
		return
	}
	ast.Inspect(f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.CaseClause:
			return false
		case *ast.KeyValueExpr:
			do(n.Key, n.Value)
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if i < len(n.Rhs) {
					do(left, n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if i < len(n.Values) {
					do(name, n.Values[i])
				}
			}
		}
		return true
	})
}

// isTrue reports whether a value is true: itself, as a variable that is set to it, or by a pointer, as in ptr.To(true).
func (f *testFile) isTrue(value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.Ident:
		return v.Name == "true" || f.on[v.Name]
	case *ast.UnaryExpr:
		return v.Op == token.AND && f.isTrue(v.X)
	case *ast.CallExpr:
		return len(v.Args) == 1 && f.isTrue(v.Args[0])
	}
	return false
}

// turnedOn returns the places where a field is set to true.
func (f *testFile) turnedOn(field string) (places []string) {
	f.values(func(left, value ast.Expr) {
		name := left
		if s, ok := left.(*ast.SelectorExpr); ok {
			name = s.Sel
		}
		if id, ok := name.(*ast.Ident); ok && id.Name == field && f.isTrue(value) {
			places = append(places, fmt.Sprintf("%s:%d", f.name, f.files.Position(left.Pos()).Line))
		}
	})
	return places
}
