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
		found.Downloads = append(found.Downloads, downloads(path, content)...)
		return nil
	})
	return found, err
}

// downloads returns the places in a file where DownloadBinaryAssets is true.
func downloads(name string, content []byte) (places []string) {
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, name, content, parser.SkipObjectResolution) // what could be parsed is there
	if file == nil {
		return nil
	}
	isTrue := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return ok && id.Name == "true"
	}
	note := func(n ast.Node) {
		places = append(places, fmt.Sprintf("%s:%d", name, files.Position(n.Pos()).Line))
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "DownloadBinaryAssets" && isTrue(n.Value) {
				note(n)
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if s, ok := left.(*ast.SelectorExpr); ok && s.Sel.Name == "DownloadBinaryAssets" && i < len(n.Rhs) && isTrue(n.Rhs[i]) {
					note(n)
				}
			}
		}
		return true
	})
	return places
}
