// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/crdctl/crdctl/internal/workspace"
)

// replaced are the functions that upstream's mains may not call, and those of the host that they call in their place.
var replaced = map[string]map[string]string{
	"k8s.io/gengo/v2": {"Execute": "Execute"},
	"log":             {"Fatalf": "Fatalf"},
	"os":              {"Exit": "Exit"},
}

// generators finds the directories of upstream's programs: all of code-generator's that end in -gen, and kube-openapi's.
func generators(codeGenerator, kubeOpenAPI string) ([]string, error) {
	dirs, err := workspace.Glob(codeGenerator, "cmd/*-gen")
	if err != nil {
		return nil, err
	}
	return append(dirs, filepath.Join(kubeOpenAPI, "cmd", "openapi-gen")), nil
}

// adapt turns upstream's programs into packages of the engine, with main as Main and without the calls in replaced, and adds the file
// that lists them.
func adapt(dirs []string, replaced map[string]map[string]string) ([]source, error) {
	var all []source
	var imports, mains bytes.Buffer
	for _, dir := range dirs {
		name := filepath.Base(dir)
		pkg := strings.ReplaceAll(name, "-", "")
		files, err := workspace.Glob(dir, "*.go")
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			if src, err = adaptFile(file, src, pkg, replaced); err != nil {
				return nil, err
			}
			all = append(all, source{path.Join("mains", pkg, filepath.Base(file)), src})
		}
		fmt.Fprintf(&imports, "\t%q\n", programModule+"/mains/"+pkg)
		fmt.Fprintf(&mains, "\t%q: %s.Main,\n", name, pkg)
	}
	list := fmt.Sprintf("package main\n\nimport (\n%s)\n\nvar mains = map[string]func(){\n%s}\n", &imports, &mains)
	return append(all, source{"mains.go", []byte(list)}), nil
}

// adaptFile turns a file of a program into one of a package.
func adaptFile(name string, src []byte, pkg string, replaced map[string]map[string]string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	f.Name.Name = pkg
	names := map[string]string{} // of imports with something to replace: the path by the name in this file
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil || replaced[p] == nil {
			continue
		}
		local := strings.TrimSuffix(path.Base(p), "/v2")
		if p == "k8s.io/gengo/v2" {
			local = "gengo"
		}
		if i.Name != nil {
			local = i.Name.Name
		}
		names[local] = p
	}
	var unused []string
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "main" {
				n.Name.Name = "Main"
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				if by := replaced[names[x.Name]][n.Sel.Name]; by != "" {
					unused = append(unused, x.Name+"."+n.Sel.Name)
					x.Name, n.Sel.Name = "crdctlhost", by
				}
			}
		}
		return true
	})
	var out bytes.Buffer
	if err := format.Node(&out, fset, f); err != nil {
		return nil, err
	}
	if len(unused) == 0 {
		return out.Bytes(), nil
	}
	// An import before all others is as good as one among them, and what is used no more is an error.
	clause := []byte("package " + pkg + "\n")
	text := bytes.Replace(out.Bytes(), clause, append(clause, "\nimport crdctlhost \""+programModule+"/host\"\n"...), 1)
	slices.Sort(unused)
	for _, u := range slices.Compact(unused) {
		text = append(text, "\nvar _ = "+u+"\n"...)
	}
	return text, nil
}
